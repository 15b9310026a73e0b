package main

import (
	"os"
	"strings"
	"testing"
)

// axeFile is axe-core, the accessibility checker, as .ci/deps installs it.
const axeFile = "../../out/axe/node_modules/axe-core/axe.min.js"

// forEverybody checks every kind of page with axe-core: with all rules in the light theme, and only colours in the
// dark one, since nothing else differs. There must be no findings.
func forEverybody(t *testing.T, b *browser) {
	axe, err := os.ReadFile(axeFile)
	if err != nil {
		t.Skip("axe-core is not installed (npm install --no-save --prefix out/axe axe-core)")
	}
	all := watchedPages(t, b) // their servers stop after the visitor has left
	v := visit(t, b.ctx, "", desktop)
	for _, path := range kindsOfPage(b.book) {
		all = append(all, strings.TrimSuffix(b.url, "/")+path)
	}
	for _, path := range all {
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

// hindrances returns the findings of axe-core on the page, one a line.
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
