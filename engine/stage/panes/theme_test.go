package panes_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/static"
)

// TestColoursAgreeWithTheStage checks that the page and the stage have the same colours.
func TestColoursAgreeWithTheStage(t *testing.T) {
	css, err := static.Files.ReadFile("app.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark := display.Light(), display.Dark()
	for name, want := range map[string][2]display.Colour{
		"paper": {light.Paper, dark.Paper}, "panel": {light.Panel, dark.Panel}, "card": {light.Card, dark.Card},
		"edge": {light.Edge, dark.Edge}, "ink": {light.Ink, dark.Ink}, "soft": {light.Soft, dark.Soft},
		"faint": {light.Faint, dark.Faint}, "accent": {light.Accent, dark.Accent}, "on-accent": {light.OnAcc, dark.OnAcc},
		"lit": {light.Lit, dark.Lit}, "signal": {light.Signal, dark.Signal}, "on-signal": {light.OnSig, dark.OnSig},
		"client-1": {light.Client[0], dark.Client[0]}, "client-2": {light.Client[1], dark.Client[1]},
		"client-3": {light.Client[2], dark.Client[2]}, "client-4": {light.Client[3], dark.Client[3]},
		"client-5": {light.Client[4], dark.Client[4]}, "client-6": {light.Client[5], dark.Client[5]},
	} {
		m := regexp.MustCompile(`--` + name + `: light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)`).FindSubmatch(css)
		if m == nil {
			t.Errorf("app.css has no --%s: light-dark(#…, #…)", name)
			continue
		}
		for i, theme := range []string{"light", "dark"} {
			if got, want := string(m[i+1])+"ff", fmt.Sprintf("%08x", uint32(want[i])); got != want {
				t.Errorf("--%s is #%s in the %s theme of app.css, #%s on the stage", name, got, theme, want)
			}
		}
	}
}
