package lessons

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// A hole in the words is filled from a run, so that no number in them is unchecked:
//
//	{= wakeups}                the value
//	{= wakeups@the-herd}       the value in another lesson's run
//	{five = wakeups}           the word, which must say the value
//	{= place@the-herd}         the lesson's number: its place in the course
var hole = regexp.MustCompile(`\{([^{}=]*)=\s*([a-z0-9/-]+)(?:@([a-z0-9-]+))?\s*\}`)

// numberWords lists the words that a hole may hold instead of digits, by language.
var numberWords = map[string][]string{
	"en": {"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
		"thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"},
}

// checkHoles checks that the text in braces can be computed.
func checkHoles(ls []Lesson, i int, md string) error {
	if rest := hole.ReplaceAllString(md, ""); strings.ContainsAny(rest, "{}") {
		return fmt.Errorf("a brace must belong to a {= measure}, in %q", md)
	}
	for _, m := range hole.FindAllStringSubmatch(md, -1) {
		l := &ls[i]
		if m[3] != "" {
			j := slices.IndexFunc(ls, func(l Lesson) bool { return l.Slug == m[3] })
			if j < 0 {
				return fmt.Errorf("%s: there is no lesson %s", m[0], m[3])
			}
			l = &ls[j]
		}
		if m[2] == placeHole {
			continue
		}
		measure, err := ParseMeasure(m[2])
		if err != nil {
			return fmt.Errorf("%s: %w", m[0], err)
		}
		for _, n := range measure.clients() {
			if n > l.Scenario.Clients {
				return fmt.Errorf("%s: there are only %d clients", m[0], l.Scenario.Clients)
			}
		}
	}
	return nil
}

// fill replaces the holes in md. The lesson's own run is runs[slug].
func fill(md, lang, slug string, runs map[string]*Run) (string, error) {
	var fault error
	out := hole.ReplaceAllStringFunc(md, func(s string) string {
		m := hole.FindStringSubmatch(s)
		from := slug
		if m[3] != "" {
			from = m[3]
		}
		v, err := fillOne(strings.TrimSpace(m[1]), m[2], lang, runs[from])
		if err != nil && fault == nil {
			fault = fmt.Errorf("%s: %w", s, err)
		}
		return v
	})
	return out, fault
}

// placeHole stands where a measure does, for the lesson's number.
const placeHole = "place"

func fillOne(word, name, lang string, r *Run) (string, error) {
	v, err := valueOf(name, r)
	if err != nil || word == "" {
		return grouped(v), err
	}
	if !says(word, v, lang) {
		return "", fmt.Errorf("the words say %s, but the run says %s", word, v)
	}
	return word, nil
}

func valueOf(name string, r *Run) (string, error) {
	if name == placeHole {
		return strconv.Itoa(r.Number), nil
	}
	measure, err := ParseMeasure(name)
	if err != nil {
		return "", err
	}
	return measure.Of(r)
}

// says reports whether word stands for the value.
func says(word, value, lang string) bool {
	if strings.EqualFold(word, value) {
		return true
	}
	n, err := strconv.Atoi(value)
	language, _, _ := strings.Cut(lang, "-") // without the region
	list := numberWords[language]
	return err == nil && n >= 0 && n < len(list) && strings.EqualFold(word, list[n])
}

// grouped groups the digits of a number; other text stays as it is.
func grouped(v string) string {
	if n, err := strconv.Atoi(v); err == nil {
		return sentence.Grouped(n)
	}
	return v
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
