package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/zkviz/zkviz/lessons"
)

// waitLimit bounds the wait for one mark, on a machine however slow. After nudgeAfter without it, the browser is made
// to draw.
const waitLimit, nudgeAfter = 10 * time.Minute, 30 * time.Second

// window is what a visitor looks at, and what the visitor asked the browser for.
type window struct {
	width, height int  // CSS px
	still         bool // reduced motion
	noScripts     bool
	noisy         bool // errors on the console are expected
}

var (
	desktop  = window{width: 1400, height: 900, still: true}
	tablet   = window{width: 1024, height: 768, still: true}
	upright  = window{width: 390, height: 844, still: true}
	sideways = window{width: 844, height: 390, still: true}
)

// visitor is somebody with a tab, whom no other visitor's tab knows of.
type visitor struct {
	t   *testing.T
	ctx context.Context
	url string // of the server

	mu      sync.Mutex
	console []string // what the page said was wrong
	said    []string // everything that it said
}

// visit opens a tab.
func visit(t *testing.T, browser context.Context, url string, w window) *visitor {
	t.Helper()
	ctx, leave := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(leave)
	v := &visitor{t: t, ctx: ctx, url: url}
	v.listen()
	motion := "no-preference"
	if w.still {
		motion = "reduce"
	}
	v.do(command(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
		command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: w.noScripts}),
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{
				{Name: "prefers-reduced-motion", Value: motion}, {Name: "prefers-color-scheme", Value: "light"},
			},
		}))
	v.resize(w)
	t.Cleanup(func() { v.leave(w) })
	return v
}

// command is one of the browser's protocol.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

func (v *visitor) listen() {
	messages := chromedp.Console(v.ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			line := fmt.Sprintf("%s: %s %s", m.Type, m.Text, m.URL)
			v.mu.Lock()
			v.said = append(v.said, line) // a panic's text among it, which is no error to a browser
			if m.IsException() || m.Type == chromedp.ConsoleError {
				v.console = append(v.console, line)
			}
			v.mu.Unlock()
		}
	}()
}

// leave looks at what the console said meanwhile.
func (v *visitor) leave(w window) {
	if v.t.Failed() {
		v.shootTo(cmp.Or(os.Getenv(screenshots), "../../out/screenshots"), "failed/"+strings.ReplaceAll(v.t.Name(), "/", " "))
	}
	v.says("1") // whatever was said before has arrived by now
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.t.Failed() || !w.noisy && len(v.console) > 0 {
		v.t.Errorf("the page's console:\n%s", strings.Join(v.said, "\n"))
	}
}

func (v *visitor) do(actions ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	if err := chromedp.Do(v.ctx, actions...); err != nil {
		v.t.Fatal(err)
	}
}

func (v *visitor) resize(w window) {
	v.t.Helper()
	v.do(chromedp.EmulateViewport(int64(w.width), int64(w.height), chromedp.EmulateScale(density())))
}

// density is how many pixels are drawn for each of CSS. Without a GPU a third of what these tests compute goes into
// pixels, at one for one, and nobody sees them unless pictures are taken.
func density() float64 {
	if os.Getenv(screenshots) != "" {
		return 1
	}
	return 0.5
}

func (v *visitor) open(path string) {
	v.t.Helper()
	v.do(chromedp.Navigate(v.url + path))
}

// enter opens a lesson and waits for its first step.
func (v *visitor) enter(l *lessons.Lesson) {
	v.t.Helper()
	v.open("/lessons/" + l.Slug)
	v.wait("stage", "ready")
	v.wait("step", l.Steps[0].Anchor)
}

// press presses keys, one after the other, on whatever has the focus.
func (v *visitor) press(keys ...string) {
	v.t.Helper()
	for _, k := range keys {
		if utf8.RuneCountInString(k) != 1 {
			v.t.Fatalf("%q is not one key but would be typed letter by letter", k)
		}
		v.do(chromedp.KeyEvent(k))
	}
}

// search has the log show what contains the text, for as long as it is there; all again for none.
func (v *visitor) search(text string) {
	v.t.Helper()
	v.says("((box) => { box.value = " + strconv.Quote(text) + "; box.dispatchEvent(new Event('input')); return ''; })" +
		"(document.getElementById('log-search'))")
}

// click scrolls to the first element of the CSS selector that is seen, and clicks on it.
func (v *visitor) click(selector string) {
	v.t.Helper()
	v.says("document.querySelector(`" + selector + "`)?.scrollIntoView({ block: 'center' })")
	ctx, cancel := context.WithTimeout(v.ctx, waitLimit)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible)); err != nil {
		v.t.Fatalf("click %s: %v", selector, err)
	}
}

// choose chooses from a list as one does with the keyboard: by the beginning of the choice's name. A browser that was
// held up between two letters takes the second for the beginning of another name: then it is typed again.
func (v *visitor) choose(selector, name string) {
	v.t.Helper()
	const forgotten = 2 * time.Second // what was typed before
	for end := time.Now().Add(waitLimit); ; {
		v.do(chromedp.Focus(chromedp.CSS(selector)), chromedp.KeyEvent(name))
		chosen := v.says("document.querySelector('" + selector + "')?.selectedOptions[0]?.text.trim() ?? ''")
		if chosen == "" || strings.HasPrefix(chosen, name) { // there is no list if the choice leads to another page
			return
		}
		if time.Now().After(end) {
			v.t.Fatalf("%s is at %q, not at %q", selector, chosen, name)
		}
		time.Sleep(forgotten)
		// The list may have been set to what was so before the choice was taken, and be out of sight since.
		if v.says("document.querySelector('"+selector+"')?.checkVisibility() ?? false") == "false" {
			return
		}
	}
}

// says is what a piece of JavaScript says of the page, as text. A page that is being left says nothing; the
// next one is asked then.
func (v *visitor) says(script string) string {
	v.t.Helper()
	for end := time.Now().Add(waitLimit); ; time.Sleep(20 * time.Millisecond) {
		got, err := chromedp.Run(v.ctx, chromedp.Evaluate[string]("String("+script+")"))
		if err == nil {
			return got
		}
		if !isLeaving(err) || time.Now().After(end) {
			v.t.Fatal(err)
		}
	}
}

// isLeaving reports whether Chromium could not answer because the page is being left for another.
func isLeaving(err error) bool {
	return slices.ContainsFunc([]string{
		"Inspected target navigated or closed", "Execution context was destroyed", "Cannot find context",
	}, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// text is that of the first element of the selector, as it is laid out.
func (v *visitor) text(selector string) string {
	v.t.Helper()
	return v.says("document.querySelector('" + selector + "')?.innerText ?? ''")
}

// count is how many elements of the selector are laid out. Pictures count when they have been loaded.
func (v *visitor) count(selector string) int {
	v.t.Helper()
	return v.integer("[...document.querySelectorAll('" + selector + "')].filter((e) => " +
		"e.getClientRects().length && (e.tagName !== 'IMG' || e.complete && e.naturalWidth)).length")
}

func (v *visitor) integer(script string) int {
	v.t.Helper()
	n, err := strconv.ParseFloat(v.says(script), 64)
	if err != nil {
		v.t.Fatalf("%s: %v", script, err)
	}
	return int(n)
}

// mark is a mark on the root element, by its name in a dataset: "seq" for data-seq.
func (v *visitor) mark(name string) string {
	v.t.Helper()
	return v.says("document.documentElement?.dataset." + name + " || ''") // there is none while a page is left
}

func (v *visitor) number(mark string) int {
	v.t.Helper()
	return v.integer("document.documentElement.dataset." + mark)
}

// wait waits until a mark has a value.
func (v *visitor) wait(mark, want string) {
	v.t.Helper()
	v.until("data-"+mark+" to be "+strconv.Quote(want), func() bool { return v.mark(mark) == want })
}

func (v *visitor) until(what string, so func() bool) {
	v.t.Helper()
	nudge := time.Now().Add(nudgeAfter)
	for end := time.Now().Add(waitLimit); !so(); time.Sleep(60 * time.Millisecond) {
		if now := time.Now(); now.After(nudge) { // a browser that was held up may have stopped drawing; this makes it draw
			nudge = now.Add(nudgeAfter)
			_, _ = chromedp.Run(v.ctx, snapshot)
		}
		if time.Now().After(end) {
			v.says("(window.aFrame = false, requestAnimationFrame(() => { window.aFrame = true; }))")
			time.Sleep(time.Second)
			v.t.Fatalf("waited in vain for %s; the marks are %s; the browser shows frames: %s", what,
				v.says("JSON.stringify({...document.documentElement.dataset})"), v.says("window.aFrame"))
		}
	}
}

// screenshots is the variable that names the folder for pictures of what is tested.
const screenshots = "ZKVIZ_SCREENSHOTS"

// shoot leaves a picture of the window for a person to look at, if one wants any: there are hundreds, and taking them
// is a good part of the work.
func (v *visitor) shoot(name string) {
	v.t.Helper()
	if folder := os.Getenv(screenshots); folder != "" {
		v.shootTo(folder, name)
	}
}

func (v *visitor) shootTo(folder, name string) {
	v.t.Helper()
	name = filepath.Join(folder, filepath.FromSlash(name)+".png")
	png, err := chromedp.Run(v.ctx, snapshot)
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, png, 0o666))
	}
	if err != nil {
		v.t.Errorf("screenshot: %v", err)
	}
}

// snapshot is what is seen of the page, packed quickly rather than small.
func snapshot(ctx context.Context, t *chromedp.Target) ([]byte, error) {
	quick := true
	r, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{OptimizeForSpeed: &quick})
	if err != nil {
		return nil, err
	}
	return r.Data, nil
}
