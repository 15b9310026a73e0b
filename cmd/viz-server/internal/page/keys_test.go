package page_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/static"
)

// TestKeysDialogIsComplete checks that the keys dialog lists exactly the keys that the page's script binds.
func TestKeysDialogIsComplete(t *testing.T) {
	script, err := static.Files.ReadFile("app.js")
	if err != nil {
		t.Fatal(err)
	}
	var table []byte
	for _, m := range regexp.MustCompile(`(?s)const (?:keys|rows|turns) = \{(.*?)\};\n`).FindAllSubmatch(script, -1) {
		table = append(table, m[1]...)
	}
	if len(table) == 0 {
		t.Fatal("app.js has no table of keys")
	}
	shown := strings.NewReplacer("ArrowRight", "→", "ArrowLeft", "←", "ArrowUp", "↑", "ArrowDown", "↓", "Escape", "Esc",
		" ", "Space")
	bound := map[string]bool{"1": true, "…": true, "9": true} // bound in a loop
	for _, m := range regexp.MustCompile(`"([^"]+)": (?:\(\) =>|")`).FindAllSubmatch(table, -1) {
		switch key := string(m[1]); key {
		case "=": // + without the shift key
		case "-":
			bound["−"] = true
		default:
			bound[shown.Replace(key)] = true
		}
	}
	for _, k := range fault.ToClients(fault.Anywhere) { // bound by their buttons
		if k.Key() != "" {
			bound[k.Key()] = true
		}
	}
	_, dialog, _ := strings.Cut(pages(t)["lesson"], `<dl class="keys">`)
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile(`<kbd>([^<]+)</kbd>`).FindAllStringSubmatch(dialog, -1) {
		listed[m[1]] = true
		if !bound[m[1]] {
			t.Errorf("the dialog lists %q, which app.js does not bind", m[1])
		}
	}
	for key := range bound {
		if !listed[key] {
			t.Errorf("app.js binds %q, which the dialog does not list", key)
		}
	}
}
