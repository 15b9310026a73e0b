package conform

import (
	"fmt"
	"strings"
)

// Kept is a difference that is kept on purpose, as DIFFERENCES.md describes it.
type Kept struct {
	Name string
	Real string // a script with the answers of ZooKeeper
	Ours string // the same with those of the embedded server
}

// ParseKept reads DIFFERENCES.md: a difference is a heading of the third level, `### NAME`, with two blocks of
// code below it, the first marked zookeeper and the second zkviz.
func ParseKept(page string) ([]Kept, error) {
	var all []Kept
	for _, section := range strings.Split(page, "\n### ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		k := Kept{Name: name}
		var err error
		if k.Real, text, err = block(text, "zookeeper"); err == nil {
			k.Ours, _, err = block(text, "zkviz")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, k)
	}
	return all, nil
}

// block is the text of the first block of code with that mark, and what follows it.
func block(text, mark string) (inside, rest string, err error) {
	_, text, ok := strings.Cut(text, "```"+mark+"\n")
	if !ok {
		return "", "", fmt.Errorf("there is no block of code marked %s", mark)
	}
	inside, rest, ok = strings.Cut(text, "```")
	if !ok {
		return "", "", fmt.Errorf("the block of code marked %s has no end", mark)
	}
	return inside, rest, nil
}
