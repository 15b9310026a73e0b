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

// waitLimit bounds the wait for one mark, even on a slow machine. After nudgeAfter the browser is forced to draw.
const waitLimit, nudgeAfter = 10 * time.Minute, 30 * time.Second

// window is a visitor's window and its browser settings.
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

// visitor is a person with a tab, isolated from all other tabs.
type visitor struct {
	t   *testing.T
	ctx context.Context
	url string // the server's

	ends string // what the addresses of pages end in: .html on a site of files

	mu      sync.Mutex
	console []string // the page's errors
	said    []string // all of the page's output
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

// command returns a command of the browser's protocol as an action.
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
			v.said = append(v.said, line) // includes a panic's text, which a browser doesn't report as an error
			if (m.IsException() || m.Type == chromedp.ConsoleError) && !isBusy(line) {
				v.console = append(v.console, line)
			}
			v.mu.Unlock()
		}
	}()
}

// isBusy reports whether a line of the console says that a server had no time for figures. On a slow machine that's so,
// and the page tells the reader.
func isBusy(line string) bool {
	return strings.Contains(line, "status of 503") && strings.Contains(line, "/api/figures?")
}

// leave checks the console output.
func (v *visitor) leave(w window) {
	if v.t.Failed() {
		v.shootTo(cmp.Or(os.Getenv(screenshots), "../../out/screenshots"), "failed/"+strings.ReplaceAll(v.t.Name(), "/", " "))
	}
	v.says("1") // all earlier console output has arrived after this
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

// density is the number of device pixels per CSS pixel. Without a GPU, one for one takes a third of these tests'
// time, and only screenshots need it.
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
	v.open("/lessons/" + l.Slug + v.ends)
	v.wait("stage", "ready")
	v.wait("step", l.Steps[0].Anchor)
}

// press presses keys in turn on the focused element.
func (v *visitor) press(keys ...string) {
	v.t.Helper()
	for _, k := range keys {
		if utf8.RuneCountInString(k) != 1 {
			v.t.Fatalf("%q is not one key but would be typed letter by letter", k)
		}
		v.do(chromedp.KeyEvent(k))
	}
}

// search filters the log by a text, or clears the filter for an empty one.
func (v *visitor) search(text string) {
	v.t.Helper()
	v.says("((box) => { box.value = " + strconv.Quote(text) + "; box.dispatchEvent(new Event('input')); return ''; })" +
		"(document.getElementById('log-search'))")
}

// click scrolls to the selector's first visible element and clicks on it.
func (v *visitor) click(selector string) {
	v.t.Helper()
	v.says("document.querySelector(`" + selector + "`)?.scrollIntoView({ block: 'center' })")
	ctx, cancel := context.WithTimeout(v.ctx, waitLimit)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible)); err != nil {
		v.t.Fatalf("click %s: %v", selector, err)
	}
}

// enters clicks a link and waits for its page. While a page is being laid out, a click may miss the link: then it
// clicks again.
func (v *visitor) enters(selector string) {
	v.t.Helper()
	was := v.says("location.href")
	v.click(selector)
	again := time.Now().Add(nudgeAfter)
	v.until("another page than "+was, func() bool {
		if v.says("location.href") != was {
			return true
		}
		if now := time.Now(); now.After(again) {
			again = now.Add(nudgeAfter)
			// A link in an SVG has no click method.
			v.says("document.querySelector(`" + selector + "`)" +
				"?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))")
		}
		return false
	})
}

// choose chooses from a list by typing the start of the choice's name. If the browser stalls between two letters, it
// takes the second one for the start of another name. Then choose types again.
func (v *visitor) choose(selector, name string) {
	v.t.Helper()
	const forgotten = 2 * time.Second // after that a list forgets typed letters
	for end := time.Now().Add(waitLimit); ; {
		v.do(chromedp.Focus(chromedp.CSS(selector)), chromedp.KeyEvent(name))
		chosen := v.says("document.querySelector('" + selector + "')?.selectedOptions[0]?.text.trim() ?? ''")
		if chosen == "" || strings.HasPrefix(chosen, name) { // if the choice opens another page, there is no list
			return
		}
		if time.Now().After(end) {
			v.t.Fatalf("%s is at %q, not at %q", selector, chosen, name)
		}
		time.Sleep(forgotten)
		// The list may have been reset before the choice took effect, and be hidden since.
		if v.says("document.querySelector('"+selector+"')?.checkVisibility() ?? false") == "false" {
			return
		}
	}
}

// says returns a JavaScript expression's value as text. While the page is being replaced, it asks the next one.
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

// isLeaving reports whether Chromium couldn't answer because the page is being replaced.
func isLeaving(err error) bool {
	return slices.ContainsFunc([]string{
		"Inspected target navigated or closed", "Execution context was destroyed", "Cannot find context",
	}, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// text returns the laid-out text of the selector's first element.
func (v *visitor) text(selector string) string {
	v.t.Helper()
	return v.says("document.querySelector('" + selector + "')?.innerText ?? ''")
}

// count returns the number of laid-out elements of the selector. Images count once loaded.
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

// mark returns a mark of the root element by its dataset name: "seq" for data-seq.
func (v *visitor) mark(name string) string {
	v.t.Helper()
	return v.says("document.documentElement?.dataset." + name + " || ''") // it is missing while the page is being replaced
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
		if now := time.Now(); now.After(nudge) { // a stalled browser may have stopped drawing; this makes it draw
			nudge = now.Add(nudgeAfter)
			_, _ = chromedp.Run(v.ctx, snapshot)
		}
		if time.Now().After(end) {
			v.says("(window.aFrame = false, requestAnimationFrame(() => { window.aFrame = true; }))")
			time.Sleep(time.Second)
			v.t.Fatalf("waited in vain for %s; the page says %q; the marks are %s; the browser shows frames: %s", what,
				v.text("#link"), v.says("JSON.stringify({...document.documentElement.dataset})"), v.says("window.aFrame"))
		}
	}
}

// screenshots is the environment variable with the folder for screenshots.
const screenshots = "ZKVIZ_SCREENSHOTS"

// shoot saves a picture of the window if screenshots are wanted. There are hundreds, and they take much of the time.
func (v *visitor) shoot(name string) {
	v.t.Helper()
	if folder := os.Getenv(screenshots); folder != "" {
		v.shootTo(filepath.Join(folder, strings.TrimPrefix(v.ends, ".")), name)
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

// snapshot returns the visible page, packed for speed instead of size.
func snapshot(ctx context.Context, t *chromedp.Target) ([]byte, error) {
	quick := true
	r, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{OptimizeForSpeed: &quick})
	if err != nil {
		return nil, err
	}
	return r.Data, nil
}
