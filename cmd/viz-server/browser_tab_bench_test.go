package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"

	"github.com/zkviz/zkviz/lessons"
)

// BenchmarkTab opens a herd in the Lab of a site of files, which the page computes itself, and reports the memory that
// the tab has at rest: what its process shares with no other. Short, the herd is small. The address of another site,
// for example of an older version, is measured in turn with this one.
func BenchmarkTab(b *testing.B) {
	book, err := lessons.Open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	sites := map[string]string{
		"now": (&browser{book: book}).export(b, filepath.Join(b.TempDir(), "site"), exportedLessons...).url,
	}
	if other := os.Getenv(before); other != "" {
		sites["before"] = other
	}
	clients := 1000
	if testing.Short() {
		clients = 30
	}
	all := map[string][]float64{}
	for b.Loop() {
		for _, version := range slices.Sorted(maps.Keys(sites)) {
			profile := launch(b)
			url := sites[version] + fmt.Sprintf("/lab.html?recipe=children-lock&clients=%d", clients)
			all[version] = append(all[version], tab(b, profile, url, version == "now"))
			_ = chromedp.Cancel(profile)
		}
	}
	for version, mb := range all {
		b.ReportMetric(median(mb), "MB-"+version)
	}
	b.ReportMetric(0, "ns/op")
}

// tab opens an address and returns the memory of its tab in MB, once the whole run is there and nothing is under way.
// If parks is true, its worker ends.
func tab(b *testing.B, browser context.Context, url string, parks bool) (mb float64) {
	b.Helper()
	tab, leave := chromedp.NewContext(browser)
	defer leave()
	script, rests := "", "dataset.host === 'sim' && dataset.stage === 'ready' && !dataset.computing && "+
		"!document.querySelector('.time').innerText.includes('are here') && "+
		"(frame.zkviz.command('end'), dataset.ended === 'true')"
	if parks {
		script = workersKept
		rests += " && (frame.beat(7), dataset.engine === 'parked')"
	}
	if err := chromedp.Do(tab,
		chromedp.EmulateViewport(int64(desktop.width), int64(desktop.height)),
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
		}),
		command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}),
		chromedp.Navigate(url),
	); err != nil {
		b.Fatal(err)
	}
	rests = "(({ dataset }, frame) => " + rests +
		")(document.documentElement, document.getElementById('stage').contentWindow)"
	end := time.Now().Add(waitLimit)
	for there := false; !there; time.Sleep(time.Second) {
		var err error
		if there, err = chromedp.Run(tab, chromedp.Evaluate[bool](rests)); err != nil || time.Now().After(end) {
			b.Fatalf("%s: %v; it doesn't come to rest", url, err)
		}
	}
	if !testing.Short() {
		time.Sleep(tidiesAfter)
	}
	return private(b, tab)
}

// tidiesAfter is more than the browser takes to give back what a page that rests needs no more.
const tidiesAfter = time.Minute

// private returns the memory in MB that the browser's largest renderer shares with no other process: a tab and the
// frames and workers in it have one.
func private(b *testing.B, browser context.Context) (mb float64) {
	b.Helper()
	all, err := chromedp.CallBrowser(browser, systeminfo.GetProcessInfo, cdp.Empty{})
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range all.ProcessInfo {
		if p.Type != "renderer" {
			continue
		}
		rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p.ID))
		if err != nil {
			b.Skip("the memory of a process can be read only on Linux: ", err)
		}
		mb = max(mb, own(rollup))
	}
	return mb
}

// own adds up what a process shares with no other, in MB.
func own(rollup []byte) (mb float64) {
	for lines := bufio.NewScanner(bytes.NewReader(rollup)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) == 3 && slices.Contains([]string{"Private_Clean:", "Private_Dirty:"}, words[0]) {
			kb, _ := strconv.ParseFloat(words[1], 64)
			mb += kb / 1024
		}
	}
	return mb
}
