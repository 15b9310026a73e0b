package export

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/static"
)

// TestIconIsTheSVG checks that the icon's shapes are those of static/icon.svg: of the one path, its strokes.
func TestIconIsTheSVG(t *testing.T) {
	file, err := static.Files.ReadFile("icon.svg")
	if err != nil {
		t.Fatal(err)
	}
	var f scene.Frame
	f.Clear(32, 32, 0)
	f.Ops = icon
	var ours strings.Builder
	if err := scene.WriteSVG(&ours, &f, "zkviz"); err != nil {
		t.Fatal(err)
	}
	want, got := shapes(t, string(file)), shapes(t, ours.String())[1:] // WriteSVG begins with the paper
	if fmt.Sprint(got) != fmt.Sprint(want) || len(want) != len(icon) {
		t.Errorf("the icon is\n%v\nicon.svg has\n%v", got, want)
	}
}

type shape struct{ name, x, y, w, h, r, fill string }

// shapes returns the shapes of a document. A path is a line for each of its strokes.
func shapes(t *testing.T, svg string) (all []shape) {
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, _ := d.Token()
		if token == nil {
			return all
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		a := map[string]string{}
		for _, attr := range e.Attr {
			a[attr.Name.Local] = strings.ToLower(attr.Value)
		}
		white := map[string]string{"#fff": "#ffffff", "": "#ffffff"}
		fill := func(s string) string {
			if w, ok := white[s]; ok {
				return w
			}
			return s
		}
		switch e.Name.Local {
		case "rect":
			all = append(all, shape{"rect", "", "", a["width"], a["height"], a["rx"], fill(a["fill"])})
		case "circle":
			all = append(all, shape{"circle", a["cx"], a["cy"], "", "", a["r"], fill(a["fill"])})
		case "line":
			all = append(all, shape{"line", a["x1"], a["y1"], a["x2"], a["y2"], a["stroke-width"], fill(a["stroke"])})
		case "path":
			for _, stroke := range strings.Split(a["d"], "m")[1:] {
				all = append(all, strokeOf(t, stroke, a["stroke-width"], fill(a["stroke"])))
			}
		}
	}
}

// strokeOf returns the line of a path's stroke, which goes down, to a point, or as far as is said.
func strokeOf(t *testing.T, stroke, width, colour string) shape {
	t.Helper()
	var x, y, x2, y2 int
	if n, _ := fmt.Sscanf(stroke, "%d %dv%d", &x, &y, &y2); n == 3 {
		x2, y2 = x, y+y2
	} else if n, _ := fmt.Sscanf(stroke, "%d %dl%d %d", &x, &y, &x2, &y2); n == 4 {
		x2, y2 = x+x2, y+y2
	} else if n, _ := fmt.Sscanf(stroke, "%d %d %d %d", &x, &y, &x2, &y2); n != 4 {
		t.Fatalf("the stroke %q", stroke)
	}
	return shape{"line", fmt.Sprint(x), fmt.Sprint(y), fmt.Sprint(x2), fmt.Sprint(y2), width, colour}
}
