package main

import (
	"fmt"
	"slices"
	"strings"
)

// equivalents maps mutants that don't change the behaviour to the reason.
type equivalents map[id]string

// parseEquivalents parses records of at least three lines: the mutant in two lines, as in a report, then the reason.
// Empty lines separate records, and # starts a comment.
func parseEquivalents(text string) (equivalents, error) {
	all := equivalents{}
	for record := range strings.SplitSeq(text, "\n\n") {
		lines := slices.DeleteFunc(strings.Split(record, "\n"), func(line string) bool {
			return line == "" || strings.HasPrefix(line, "#")
		})
		if len(lines) == 0 {
			continue
		}
		head := strings.Fields(lines[0])
		if len(lines) < 3 || len(head) != 3 || !strings.Contains(lines[1], mark) {
			return nil, fmt.Errorf("not a mutant and a reason: %q", record)
		}
		i := id{head[0], head[1], head[2], strings.TrimSpace(lines[1])}
		if all.has(i) {
			return nil, fmt.Errorf("duplicate: %q", record)
		}
		all[i] = strings.Join(lines[2:], "\n")
	}
	return all, nil
}

func (e equivalents) has(i id) bool {
	_, ok := e[i]
	return ok
}
