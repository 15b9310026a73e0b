package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/run"
)

// logFile is a file that the browser would have saved.
type logFile struct{ name, text string }

// save presses Save and returns the file, whether a server or the page itself gives it.
func (v *visitor) save() logFile {
	v.t.Helper()
	v.says(`window.saved = "", window.made = null, URL.createObjectURL = (blob) => { window.made = blob; return "blob:"; },
		HTMLAnchorElement.prototype.click = async function () {
			const file = window.made ?? await fetch(this.href); // a page may not fetch what it has made
			const name = this.download || /filename="(.*)"/.exec(file.headers.get("Content-Disposition"))[1];
			window.saved = name + " " + await file.text();
		}, ""`)
	v.says("document.querySelector('[data-do=save]').click()")
	var file logFile
	v.until("a file", func() (saved bool) {
		file.name, file.text, saved = strings.Cut(v.says("window.saved"), " ")
		return saved
	})
	return file
}

// shown returns the name that the file of the shown log must have.
func (v *visitor) shown() string {
	return v.says("(at => 'zkviz-' + at.get('run') + '-' + at.get('branch') + '.jsonl')" +
		"(new URLSearchParams(stage.contentWindow.zkviz.position()))")
}

// isSaved saves the log, which has this text, and checks that the stage is where it was.
func (v *visitor) isSaved(what, want string) {
	v.t.Helper()
	v.until("event 3", func() bool { // as soon as that is there
		v.says("zkvizPage.command('goto-event', 3)")
		return v.mark("seq") == "3"
	})
	name := v.shown()
	if got := v.save(); got.text != want || got.name != name {
		v.t.Errorf("%s is saved as %s with %d bytes, want %s with %d", what, got.name, len(got.text), name, len(want))
	}
	v.until("no more words about it", func() bool { return v.text("#link") == "" })
	if now := v.mark("seq"); now != "3" {
		v.t.Errorf("after %s is saved the stage shows event %s, before 3", what, now)
	}
}

// saveTheLog saves logs from a server, from a page that has lost its server, and from a site of files: of a lesson's
// run, of a branch beside another run, and of a file. The files are the same, byte for byte.
func saveTheLog(t *testing.T, b *browser) {
	const lab = "?recipe=unique-lock&clients=3&seed=7&beside=predecessor-lock"
	l, _ := b.book.Find(exportedLessons[0])
	noisy := desktop
	noisy.noisy = true // the browser says that there is no connection
	url, stop := b.serveUntil(t, web.Config{})
	crash := func(v *visitor) {
		v.says("stage.contentWindow.zkviz.command('fault', 'crash client-1 at 2s')")
		v.wait("branch", "1")
	}

	v := visit(t, b.ctx, url, noisy)
	v.enter(l)
	lesson := v.save().text
	if !strings.HasPrefix(lesson, `{"format":"zkviz-trace"`) || !strings.Contains(lesson, `"kind":"run.ended"`) {
		t.Fatalf("a server gives %.99s", lesson)
	}
	v.open("/lab" + lab)
	v.wait("stage", "ready")
	crash(v)
	branch := v.save().text
	v.wait("engine", "kept")
	stop()
	v.until("words about it", func() bool { return strings.Contains(v.text("#link"), "now computes the run itself") })
	v.wait("branch", "1")
	v.isSaved("a branch of a lost server", branch)

	w := visit(t, b.ctx, b.export(t, filepath.Join(t.TempDir(), "site"), exportedLessons...).url, desktop)
	w.open("/lessons/" + l.Slug + ".html")
	w.wait("stage", "ready")
	w.isSaved("a lesson's run", lesson)
	w.open("/lab.html" + lab)
	w.wait("stage", "ready")
	crash(w)
	w.isSaved("a branch", branch)
	file := simulated(t, run.Scenario{Recipe: "semaphore", Clients: 3}.WithDefaults())
	w.openTrace("other.jsonl", file)
	w.isSaved("a file", file)
}
