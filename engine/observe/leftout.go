package observe

import (
	"fmt"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
)

// lack is what is left out at a znode.
type lack uint8

const (
	lacksData     lack = 1 << iota // it may not be read
	lacksChildren                  // it has too many
	lacksLong                      // children whose paths are too long
	lacksDeep                      // children that are too deep
	lacksSome                      // children for which there is no room
)

// set notes whether there is such a lack.
func (l *lack) set(which lack, there bool) {
	*l &^= which
	if there {
		*l |= which
	}
}

// lacking finds out what the reading of a znode left out, besides what list sees.
func (o *observer) lacking(j job, n *observed, secret bool) {
	n.lacks.set(lacksData, secret)
	if !j.children || j.stat == nil {
		return
	}
	n.lacks.set(lacksChildren, j.large)
	n.lacks.set(lacksDeep, j.deep(o.path) && j.stat.NumChildren > 0)
}

// deep reports that the znode's children are further down than is looked.
func (j *job) deep(root string) bool {
	return strings.Count(strings.TrimPrefix(j.path, strings.TrimSuffix(root, "/")), "/") >= MaxObservedDepth
}

// tellLeftOut says what is left out, all of it, when that has changed: who looks at the picture must know
// whether it is the whole.
func (o *observer) tellLeftOut() {
	text := o.leftOut()
	if text == o.told {
		return
	}
	o.told = text
	if text == "" {
		text = "all that is there is shown"
	}
	o.emit(event.Event{Kind: event.RecipeNote, Text: event.Preview([]byte(text))})
}

func (o *observer) leftOut() string {
	if o.missing {
		return "there is no " + event.Preview([]byte(o.path)) + "; it is waited for"
	}
	var first [lacksSome + 1]string // the first znode, by name, of each lack
	var count [lacksSome + 1]int
	for path, n := range o.nodes {
		for l := lack(1); l <= lacksSome; l <<= 1 {
			if n.lacks&l == 0 {
				continue
			}
			if count[l]++; first[l] == "" || path < first[l] {
				first[l] = path
			}
		}
	}
	which := func(l lack) string {
		name := event.Preview([]byte(first[l]))
		if more := count[l] - 1; more > 0 {
			name += fmt.Sprintf(" and %d more", more)
		}
		return name
	}
	var all []string
	add := func(l lack, text string) {
		if count[l] > 0 {
			all = append(all, text)
		}
	}
	add(lacksSome, fmt.Sprintf("there are more than %d znodes; the others are left out", MaxObservedNodes))
	add(lacksChildren, fmt.Sprintf("left out are the children of %s: there are more than %d", which(lacksChildren), MaxObservedChildren))
	add(lacksDeep, fmt.Sprintf("left out is what is more than %d levels down, below %s", MaxObservedDepth, which(lacksDeep)))
	add(lacksData, which(lacksData)+" may not be read: an ACL forbids it")
	add(lacksLong, fmt.Sprintf("znodes with paths of more than %d bytes are left out", MaxObservedPath))
	return strings.Join(append(all, o.limits...), "; ")
}
