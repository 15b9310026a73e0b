package main

import (
	"os"
	"testing"
)

// axeFile is axe-core, the checker of what hinders people, as .ci/deps installs it.
const axeFile = "../../out/axe/node_modules/axe-core/axe.min.js"

// forEverybody has every kind of page looked at by axe-core, in light for everything and in dark for the colours, which
// are all that differs: it wants to find nothing.
func forEverybody(t *testing.T, b *browser) {
	axe, err := os.ReadFile(axeFile)
	if err != nil {
		t.Skip("axe-core is not installed (npm install --no-save --prefix out/axe axe-core)")
	}
	v := visit(t, b.ctx, b.url, desktop)
	for _, path := range kindsOfPage(b.book) {
		v.open(path)
		if v.count("#stage") > 0 {
			v.wait("stage", "ready")
		}
		for _, look := range []struct{ theme, options string }{
			{"light", `{ rules: { "target-size": { enabled: true } }, resultTypes: ["violations"] }`},
			{"dark", `{ runOnly: ["color-contrast"], resultTypes: ["violations"] }`},
		} {
			v.says("document.documentElement.dataset.theme = '" + look.theme + "'")
			if found := v.hindrances(string(axe), look.options); found != "" {
				t.Errorf("%s, %s:\n%s", path, look.theme, found)
			}
		}
	}
}

// hindrances is what axe-core finds on the page, a line each.
func (v *visitor) hindrances(axe, options string) string {
	v.t.Helper()
	v.says("window.axe ? '' : (() => { " + axe + "\n; return ''; })()")
	v.says(`window.axe.run(document, ` + options + `)
		.then((r) => { window.found = r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" "))); })
		.catch((e) => { window.found = ["axe-core: " + e]; }) && ""`)
	v.until("axe-core to come to an end", func() bool { return v.says("String(!!window.found)") == "true" })
	found := v.says("window.found.join('\\n')")
	v.says("delete window.found, ''")
	return found
}
