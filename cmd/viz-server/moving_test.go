package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/golden"
)

// movingPicture is the README's picture: a run in which two clients believe that they hold one lock.
const movingPicture = "../../docs/two-believe.svg"

// frameTime is how long a moving picture shows each moment.
const frameTime = 160 * time.Millisecond

// moments returns the picture's times in the run: dense while messages pass, sparse in between.
func moments() (all []time.Duration) {
	const ms = time.Millisecond
	for _, span := range []struct{ from, to, step time.Duration }{
		{40 * ms, 460 * ms, 20 * ms},        // all clients come, and A gets in
		{500 * ms, 1000 * ms, 250 * ms},     // A prints
		{1000 * ms, 8000 * ms, 500 * ms},    // A is paused, and its session expires
		{7980 * ms, 8360 * ms, 20 * ms},     // B is notified, and gets in
		{8500 * ms, 10_000 * ms, 500 * ms},  // B prints
		{10_000 * ms, 10_300 * ms, 20 * ms}, // A resumes, prints too, and then finds out
		{10_400 * ms, 11_600 * ms, 300 * ms},
	} {
		for t := span.from; t < span.to; t += span.step {
			all = append(all, t)
		}
	}
	return all
}

// still is the moment shown to people who prefer no motion.
const still = 10_140 * time.Millisecond

// shape is an element of a moving picture, with the frames that contain it.
type shape struct {
	element string
	in      []int
}

// frames draws each moment, one element a line, without the description for people who can't see it.
func frames(t *testing.T, trace string, at []time.Duration) (head string, all [][]string) {
	t.Helper()
	words := regexp.MustCompile(`(?s)<title>.*?</title>|<desc>.*?</desc>\n`)
	for _, d := range at {
		var svg bytes.Buffer
		if err := (&renderCmd{What: trace, At: &d}).Run(&terminal{ctx: t.Context(), out: &svg}); err != nil {
			t.Fatalf("render --at %v: %v", d, err)
		}
		lines := strings.Split(strings.TrimSpace(words.ReplaceAllString(svg.String(), "")), "\n")
		head, all = lines[0], append(all, lines[1:len(lines)-1])
	}
	return head, all
}

// merge inserts a frame's elements into those of earlier frames, and keeps the order of both.
func merge(before []shape, frame []string, number int) (all []shape) {
	common := make([][]int, len(before)+1) // length of the longest common subsequence of the rest
	for i := range common {
		common[i] = make([]int, len(frame)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(frame) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if before[i].element == frame[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(before) || j < len(frame) {
		switch {
		case i < len(before) && j < len(frame) && before[i].element == frame[j]:
			all = append(all, shape{before[i].element, append(before[i].in, number)})
			i, j = i+1, j+1
		case j == len(frame) || i < len(before) && common[i+1][j] >= common[i][j+1]:
			all = append(all, before[i])
			i++
		default:
			all = append(all, shape{frame[j], []int{number}})
			j++
		}
	}
	return all
}

// keyframes writes when elements of some of n frames are visible.
func keyframes(class string, in []int, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "@keyframes %s{", class)
	seen := make([]bool, n)
	for _, i := range in {
		seen[i] = true
	}
	is := map[bool]string{true: "visible", false: "hidden"}
	for i := range n {
		if i == 0 || seen[i] != seen[i-1] {
			fmt.Fprintf(&b, "%.4g%%{visibility:%s}", 100*float64(i)/float64(n), is[seen[i]])
		}
	}
	fmt.Fprintf(&b, "}.%s{animation:%[1]s %.4gs step-end infinite}\n", class, (time.Duration(n) * frameTime).Seconds())
	return b.String()
}

// moving writes frames as one picture. Elements with the same frames form a group.
func moving(title, head string, all [][]string, atRest int) []byte {
	var shapes []shape
	for i, frame := range all {
		shapes = merge(shapes, frame, i)
	}
	var styles, rest, body strings.Builder
	classes := map[string]string{}
	open := ""
	for _, s := range shapes {
		key, class := fmt.Sprint(s.in), ""
		if len(s.in) < len(all) {
			if class = classes[key]; class == "" {
				class = fmt.Sprintf("f%d", len(classes))
				classes[key] = class
				styles.WriteString(keyframes(class, s.in, len(all)))
				if strings.Contains(" "+strings.Trim(key, "[]")+" ", fmt.Sprintf(" %d ", atRest)) {
					rest.WriteString("." + class + "{visibility:visible}")
				}
			}
		}
		if class != open {
			if open != "" {
				body.WriteString("</g>\n")
			}
			if class != "" {
				fmt.Fprintf(&body, "<g class=%q>\n", class)
			}
			open = class
		}
		body.WriteString(s.element + "\n")
	}
	if open != "" {
		body.WriteString("</g>\n")
	}
	return fmt.Appendf(nil, "%s<title>%s</title>\n<style>\n%s@media (prefers-reduced-motion:reduce)"+
		"{g{animation:none!important;visibility:hidden}%s}\n</style>\n%s</svg>\n", head, title, styles.String(),
		rest.String(), body.String())
}

// TestGoldenMovingPicture draws the README's picture again.
func TestGoldenMovingPicture(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "two.trace")
	code, _, errs := printed(t, "run", "predecessor-lock", "--clients", "3", "--session-timeout", "6s", "--hold", "3s",
		"--latency", "40ms", "--fault", "pause client-1 at 1s for 9s", "--trace", trace)
	if code != exitVerdict {
		t.Fatalf("the run ends with %d, %s", code, errs)
	}
	at, rest := moments(), 0
	for i, d := range at {
		if d <= still {
			rest = i
		}
	}
	head, all := frames(t, trace, at)
	got := moving("Two clients believe that they hold one lock", head, all, rest)
	golden.Compare(t, movingPicture, string(got))
}
