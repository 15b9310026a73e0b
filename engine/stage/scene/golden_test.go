package scene_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

// views are the options with which each picture of the golden file is drawn.
var views = []scene.Options{
	{Words: english, Width: 1024, Height: 576, Theme: display.Light()},
	{Words: english, Width: 360, Height: 300, Theme: display.Dark(), Still: true,
		Selected: "client-1", Focus: []string{"client-2", "lock", "root"}},
	{Words: english, Width: 1920, Height: 1080, Theme: display.Dark()},
	{Words: english, Width: 390, Height: 620, Theme: display.Light()},
}

// TestGoldenPictures compares three moments of every run of the catalogue, twelve of those with dots, and every
// fixture, drawn with all views, with the hashes in testdata/pictures.txt. A commit that changes one says why.
// SCENE_OUT=DIR writes the pictures to a folder.
func TestGoldenPictures(t *testing.T) {
	got := map[string][]string{}
	take := func(name string, s *view.State, at time.Duration) {
		var f scene.Frame
		for _, o := range views {
			f.Draw(s, at, o)
			got[name] = append(got[name], hash(&f))
			look(t, fmt.Sprintf("%s %d", name, len(got[name])-1), &f)
		}
	}
	moments(t, 3, func(m *moment) { take(m.recipe+" "+m.condition, m.state, m.at) })
	crowds, err := dots()
	if err != nil {
		t.Fatal(err)
	}
	momentsOf(crowds, 12, func(m *moment) { take(m.recipe+" "+m.condition, m.state, m.at) })
	for name, s := range fixtures() {
		for _, later := range []time.Duration{0, 120 * time.Millisecond, 2 * time.Second} {
			take("fixture "+name, s, now+later)
		}
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(got)) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(got[name], " "))
	}
	golden.Compare(t, "testdata/pictures.txt", b.String())
}

// hash covers all shapes, to a tenth of a pixel, and all hits.
func hash(f *scene.Frame) string {
	h := fnv.New32a()
	num := func(values ...float32) {
		for _, v := range values {
			binary.Write(h, binary.LittleEndian, int32(math.Round(float64(v)*10)))
		}
	}
	for i := range f.Ops {
		o := &f.Ops[i]
		fmt.Fprintf(h, "%d %d %t %t %08x %08x %q", o.Kind, o.Anchor, o.Bold, o.Mono, o.Fill, o.Stroke, o.Text)
		num(o.X, o.Y, o.W, o.H, o.X1, o.Y1, o.X2, o.Y2, o.X3, o.Y3)
		num(o.R, o.From*100, o.To*100, o.Width, o.Dash, o.Gap, o.Phase, o.Size)
	}
	for _, hit := range f.Hits {
		fmt.Fprintf(h, "%q", hit.ID)
		num(hit.X, hit.Y, hit.W, hit.H)
	}
	fmt.Fprint(h, f.Moving)
	return fmt.Sprintf("%08x", h.Sum32())
}

// look writes a picture to the folder SCENE_OUT, for a person to look at.
func look(t *testing.T, name string, f *scene.Frame) {
	dir := os.Getenv("SCENE_OUT")
	if dir == "" {
		return
	}
	file, err := os.Create(filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".svg"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := scene.WriteSVG(file, f, name); err != nil {
		t.Error(err)
	}
}
