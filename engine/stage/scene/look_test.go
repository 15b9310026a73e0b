package scene_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// sizes are the stages on which every picture must work, in px.
var sizes = [][2]float64{{760, 470}, {1400, 700}, {360, 300}, {640, 240}, {320, 240}}

// TestLook writes every fixture at every size to the folder SCENE_OUT, for a person to look at.
func TestLook(t *testing.T) {
	dir := os.Getenv("SCENE_OUT")
	if dir == "" {
		t.Skip("SCENE_OUT is not set")
	}
	var f scene.Frame
	for name, s := range fixtures() {
		for _, size := range sizes {
			for theme, colours := range map[string]display.Theme{"light": display.Light(), "dark": display.Dark()} {
				f.Draw(s, now, scene.Options{Words: english, Width: size[0], Height: size[1], Theme: colours})
				file, err := os.Create(filepath.Join(dir, fmt.Sprintf("%s-%s-%.0f.svg", name, theme, size[0])))
				if err != nil {
					t.Fatal(err)
				}
				if err := scene.WriteSVG(file, &f, name); err != nil {
					t.Error(err)
				}
				file.Close()
			}
		}
	}
}
