package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// printWakes prints a line for each holder with the clients that its release would wake.
func printWakes(w io.Writer, r *locks.Row) {
	for i := range r.Wakes {
		one := &r.Wakes[i]
		var names []string
		for _, c := range one.Whom {
			names = append(names, sessionAt(c.Session, c.Client))
		}
		line := lockText(one.Says(r.Inside)) + " " + strings.Join(names, ", ") + " " + lockText(one.More())
		fmt.Fprintf(w, "  %s\n", strings.TrimSuffix(line, " "))
	}
	if others := r.OtherWakers(); others.Key != "" {
		fmt.Fprintf(w, "  %s\n", lockText(others))
	}
}

// wake is a JSON object that lists the clients that a release would wake.
type wake struct {
	Session string  `json:"session,omitempty"` // the holder's
	Znode   string  `json:"znode"`             // the holder's, or the one that keeps all out
	Least   int     `json:"least"`             // the number woken, at least
	Clients []woken `json:"clients"`           // some of them
}

type woken struct {
	Session string `json:"session"`
	Address string `json:"address,omitempty"`
}

// wakesJSON returns nil if the wakes are unknown.
func wakesJSON(list []locks.Wake) (all []wake) {
	if list != nil {
		all = []wake{}
	}
	for i := range list {
		w := wake{Znode: list[i].Of.Path, Least: list[i].Least}
		if s := list[i].Of.Session; s != 0 {
			w.Session = handover.SessionText(s)
		}
		for _, c := range list[i].Whom {
			w.Clients = append(w.Clients, woken{handover.SessionText(c.Session), c.Client.Addr})
		}
		all = append(all, w)
	}
	return all
}
