package page_test

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/static"
)

// leastContrast is the minimum contrast of text by WCAG 2.1.
const leastContrast = 4.5

// TestTextHasContrast checks that text is readable in both themes on every background. Only disabled controls are dim.
func TestTextHasContrast(t *testing.T) {
	css, err := static.Files.ReadFile("app.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(css), "\n") {
		if strings.Contains(line, "opacity:") && !strings.Contains(line, ":disabled") {
			t.Errorf("app.css dims text: %s", line)
		}
	}
	for _, ink := range []string{"ink", "soft"} {
		for _, ground := range []string{"page", "paper", "panel", "card", "lit"} {
			for i, theme := range []string{"light", "dark"} {
				a, b := luminance(t, css, ink, i), luminance(t, css, ground, i)
				if got := (max(a, b) + 0.05) / (min(a, b) + 0.05); got < leastContrast {
					t.Errorf("--%s on --%s has a contrast of %.2f in the %s theme", ink, ground, got, theme)
				}
			}
		}
	}
}

// luminance returns the luminance of a colour in a theme (0 light, 1 dark) by WCAG 2.1.
func luminance(t *testing.T, css []byte, name string, theme int) (sum float64) {
	t.Helper()
	m := regexp.MustCompile(`--` + name + `: light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)`).FindSubmatch(css)
	if m == nil {
		t.Fatalf("app.css has no --%s: light-dark(#…, #…)", name)
	}
	var parts [3]uint8
	if _, err := fmt.Sscanf(string(m[1+theme]), "%02x%02x%02x", &parts[0], &parts[1], &parts[2]); err != nil {
		t.Fatal(err)
	}
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		c := float64(parts[i]) / 255
		if c <= 0.04045 {
			sum += weight * c / 12.92
		} else {
			sum += weight * math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return sum
}

// TestEveryScriptAndStyleIsUsed checks that each is part of a bundle, or that a page or the stage's frame names it.
func TestEveryScriptAndStyleIsUsed(t *testing.T) {
	used, joined := map[string]bool{"offline.js": true}, map[string]bool{} // which the export writes
	for _, parts := range static.Bundles() {
		for _, part := range parts {
			used[part], joined[part] = true, true
		}
	}
	templates, err := filepath.Glob("*.templ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range templates {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:asset\(|src=|href=)"([a-z]+\.(?:js|css))"`).FindAllSubmatch(text, -1) {
			name := string(m[1])
			used[name] = true
			if joined[name] {
				t.Errorf("%s names %s, which is part of a bundle", file, name)
			}
		}
	}
	stage, err := fs.ReadFile(static.Files, "stage.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"/static/([a-z]+\.(?:js|css))"`).FindAllSubmatch(stage, -1) {
		used[string(m[1])] = true
	}
	for _, kind := range []string{"*.js", "*.css"} {
		names, err := fs.Glob(static.Files, kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if !used[name] {
				t.Errorf("no page gets %s; see Bundles in static/static.go", name)
			}
		}
	}
}
