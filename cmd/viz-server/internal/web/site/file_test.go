package site_test

import (
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
)

// TestFile checks which file of an exported site stands for an address.
func TestFile(t *testing.T) {
	for address, want := range map[string]string{
		"/":                   "index.html",
		"/es/":                "es/index.html",
		"/es/lab?recipe=lock": "es/lab.html",
		"/lessons/the-herd":   "lessons/the-herd.html",
		"/lessons/the-herd/release.svg?theme=dark":           "lessons/the-herd/release.dark.svg",
		"/lessons/the-herd/release.svg?theme=dark&shape=low": "lessons/the-herd/release.dark-low.svg",
		"/api/figures?recipe=unique%2Dlock&clients=1000":     "api/figures/unique-lock-1000.json",
		"/api/figures?recipe=a&clients=24&with=moments":      "api/figures/a-24-moments.json",
		"/es/api/explore?recipe=no-second-look":              "es/api/explore/no-second-look.json",
		"/static/app.css?v=1234":                             "static/app.css",
		"/static/icon.svg?v=1234":                            "static/icon.svg",
		"/lessons/the-herd/reel.bin":                         "lessons/the-herd/reel.bin",
		"/search.json":                                       "search.json",
		"/lessons/the-herd/release.svg?theme=%zz":            "lessons/the-herd/release..svg",
		"/stage?lesson=the-herd&theme=dark":                  "stage.html",
	} {
		if got := site.File(address); got != want {
			t.Errorf("%s is in %s, want %s", address, got, want)
		}
	}
	for address, want := range map[string]bool{
		"/lab?recipe=lock": false, "/static/app.css?v=1": false, "/lessons/a/b.svg?theme=dark": true,
		"/api/figures?recipe=a&clients=1": true, "/lessons/a": false,
	} {
		if got := site.VariesByQuery(address); got != want {
			t.Errorf("%s varies by its query: %v", address, got)
		}
	}
}
