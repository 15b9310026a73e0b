package panes

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// maxChips is the maximum number of chips on a source line; further clients are counted.
const maxChips = 8

// Chips holds the clients that wait in one line of the recipe's source.
type Chips struct {
	Clients []Who
	More    int // number of further clients
}

// Lines returns the clients that wait, by line of the recipe's source.
func Lines(s *view.State, say Say) map[int]Chips {
	lines := map[int]Chips{}
	for i := range s.Clients {
		c := &s.Clients[i]
		if c.Line == 0 || c.Exited || c.Crashed {
			continue
		}
		chips := lines[c.Line]
		if len(chips.Clients) == maxChips {
			chips.More++
		} else {
			chips.Clients = append(chips.Clients, say.who(event.Actor(i+1)))
		}
		lines[c.Line] = chips
	}
	return lines
}

// Line returns the source line that the selected client waits in, or else the one that most wait in; 0 if none.
func Line(s *view.State, selected string) int {
	if a, ok := ParseClient(selected); ok && int(a) <= len(s.Clients) {
		return s.Clients[a-1].Line
	}
	count := map[int]int{}
	best := 0
	for i := range s.Clients {
		c := &s.Clients[i]
		if c.Line == 0 || c.Exited || c.Crashed {
			continue
		}
		count[c.Line]++
		if count[c.Line] > count[best] || count[c.Line] == count[best] && c.Line < best {
			best = c.Line
		}
	}
	return best
}
