package main

import (
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

// exportedLessons are the lessons of the site that a visitor sees.
var exportedLessons = []string{"the-herd", "no-second-look", "watch-the-one-ahead"}

// siteOfFiles opens a lesson of an exported site on a plain file server: the stage plays what is in the files. The
// search finds what the server finds. From a disk the lesson is an article.
func siteOfFiles(t *testing.T, b *browser) {
	dir := filepath.Join(t.TempDir(), "site")
	v := visit(t, b.ctx, b.export(t, dir, exportedLessons...).url, desktop)

	v.open("/index.html")
	v.enters("a[href='lessons/the-herd.html']")
	v.wait("stage", "ready")
	v.press(kb.End)
	seq := strconv.Itoa(len(b.book.RunOf(exportedLessons[0]).Log.Events))
	v.wait("seq", seq)
	v.says("(stage => { document.documentElement.dataset.stage = 'loading'; document.documentElement.dataset.seq = ''; " +
		"stage.history.replaceState(null, '', '#' + stage.zkviz.position()); stage.location.reload(); })" +
		"(document.getElementById('stage').contentWindow)") // as after a loss of the graphics
	v.wait("stage", "ready")
	v.wait("seq", seq)
	link := v.share()
	v.open("/index.html")
	v.open(link)
	v.wait("link", "same")
	v.wait("seq", seq)

	v.open("/lessons/no-second-look.html")
	v.wait("stage", "ready")
	v.says("document.querySelector('.repair').closest('.step').id.replace(/.*/, (id) => location.hash = id)")
	v.click(".step[data-here] .repair .choice")
	v.click(".step[data-here] [data-repair=try]")
	v.until("what was found", func() bool { return v.text(".step[data-here] .finding") != "" })
	v.until("the end of it", func() bool { return v.count(".step[data-here] .finding a, .finding[data-state=held]") > 0 })

	v.finds(t, b)

	v.says(`localStorage["zkviz.answers"] = '{"the-herd/fan": {"chosen": "five"}}'`)
	v.open("/index.html")
	v.click("#again .button")
	v.comes("the-herd/fan", "One question from before")
	v.click(".review:not([hidden]) > p a")
	v.wait("step", "fan")

	w := desktop
	w.noisy = true // there browsers refuse the icons, which a page takes from another file
	disk := visit(t, b.ctx, (&url.URL{Scheme: "file", Path: dir}).String(), w)
	disk.open("/index.html")
	disk.click("a[href='lessons/the-herd.html']")
	disk.wait("stage", "failed")
	disk.until("what it takes", func() bool { return strings.Contains(disk.text("#stage-note"), "on a host") })
	disk.until("its pictures", func() bool { return disk.count("#poster img.picture, .step img.picture") > 0 })
	disk.shoot("exported/disk")
}

// finds searches here and on a server for the same words.
func (v *visitor) finds(t *testing.T, b *browser) {
	t.Helper()
	const shown = "[...document.querySelectorAll('.hits li')].map((li) => [li.querySelector('a').getAttribute('href')" +
		".replace('.html', '').replace(/^\\//, ''), li.innerHTML.replace(/<a [^>]*>/, '')].join(' ')).join('\\n')"
	other := visit(t, b.ctx, b.serve(t, web.Config{Lessons: exportedLessons}), desktop)
	for _, query := range []string{
		"herd", "Herd wakes", "unique-lock", "“told”", "znode", "a", "session timeout", "nothing like this", "don’t", "é ?",
		"  the  watch ", strings.Repeat("lock ", 30), "<b>", "PRINTER",
		"Thundering herds", "cache stampede?", "is a lock a mutex", "zombie",
	} {
		at := "q=" + url.QueryEscape(query)
		other.open("/search?" + at)
		v.open("/search.html?" + at)
		v.until("a result", func() bool { return v.says("'found' in document.documentElement.dataset") == "true" })
		want := other.says(shown)
		if got := v.says(shown); got != want {
			t.Errorf("%q finds\n%s\nThe server finds\n%s", query, got, want)
		}
		none := other.says("document.querySelector('main > p')?.innerText ?? ''")
		if got := v.text("#search-none"); want == "" && got != none {
			t.Errorf("%q: %q, and the server says %q", query, got, none)
		}
	}
}
