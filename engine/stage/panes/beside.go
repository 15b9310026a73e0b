package panes

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/engine/stage/scene"
)

// Pictures returns the pictures of the first run and of the run paired with it. Each has the name of its run above it,
// and a verdict: on the rule that a lesson's step is about, or if that is "", on what differs.
func Pictures(lead *player.Player, pair *player.Pair, names [2]string, rule string, say Say) *[2]scene.Picture {
	two := [2]*player.Player{lead, pair.Other()}
	said := judgeBoth(two, rule, say)
	var pictures [2]scene.Picture
	for i, p := range two {
		pictures[i] = scene.Picture{
			State: p.State(), At: p.Drawn(), Stood: p.Head.Stood(), Selected: p.Selected(), Title: names[i],
			Verdict: said[i].text, Brief: said[i].brief, Broken: said[i].broken,
		}
	}
	for _, id := range lead.Focus() {
		pictures[0].Focus = append(pictures[0].Focus, id)
		pictures[1].Focus = append(pictures[1].Focus, pair.There(id))
	}
	return &pictures
}

// Beside is the run shown together with the run that the panes are about.
type Beside struct {
	Shown  string // as the page's command takes it; "" for none
	Name   string // caption
	InStep string // as the page's command takes it
	Parted event.Seq
	At     time.Duration // time of that event, 0 while the runs are the same
}

// Captions names two runs by their differences.
func Captions(two [2]*player.Player, say Say) (names [2]string) {
	a, b := two[0].Log.Run().Header, two[1].Log.Run().Header
	done := [2][]string{faults(two[0]), faults(two[1])}
	for i, h := range [2]event.Header{a, b} {
		var parts []string
		add := func(differ bool, text func() string) {
			if differ {
				parts = append(parts, text())
			}
		}
		add(true, func() string { return h.Recipe })
		add(a.Clients != b.Clients, func() string {
			return say("beside.clients", strconv.Itoa(h.Clients))
		})
		add(sameSystem(a, b) && voters(a) != voters(b), func() string {
			if voters(h) == 1 {
				return say("beside.server")
			}
			return say("beside.servers", strconv.Itoa(voters(h)))
		})
		add(a.Seed != b.Seed, func() string {
			return say("beside.seed", strconv.FormatUint(h.Seed, 10))
		})
		add(!slices.EqualFunc(done[0], done[1], sameDeed), func() string { return lastDeed(done[i], say) })
		names[i] = strings.Join(parts, " · ")
	}
	return names
}

// sameSystem reports whether both run on the same system. If they don't, their recipes' names say so.
func sameSystem(a, b event.Header) bool {
	return len(a.Systems) == 0 || len(b.Systems) == 0 || a.Systems[0].Kind == b.Systems[0].Kind
}

// voters returns the number of voting servers, 0 if unknown.
func voters(h event.Header) int {
	if len(h.Systems) == 0 {
		return 0
	}
	return h.Systems[0].Servers
}

// faults returns all faults of the branch that is shown.
func faults(p *player.Player) []string {
	all := slices.Clone(p.Log.Run().Header.Faults)
	for _, b := range player.Descent(p.Log.Branches(), p.Log.Branch()) {
		all = append(all, b.Fault)
	}
	return all
}

// sameDeed reports whether two faults are the same except for their times, which differ between runs in step by
// hand-overs.
func sameDeed(a, b string) bool {
	one, _, _ := strings.Cut(a, " at ")
	two, _, _ := strings.Cut(b, " at ")
	return one == two
}

// lastDeed names the last fault.
func lastDeed(all []string, say Say) string {
	if len(all) == 0 {
		return say("beside.as-is")
	}
	f, err := fault.Parse(all[len(all)-1])
	if err != nil { // written by a later version
		return letterFault(all[len(all)-1])
	}
	switch server := strconv.Itoa(f.Server); f.Kind.Target() {
	case fault.ToOneServer:
		return say("beside.did.server."+f.Kind.String(), server)
	case fault.ToNode:
		return say("beside.did.node."+f.Kind.String(), strconv.Itoa(f.Node))
	case fault.ToSides:
		return say("beside.did.partition", serversOf(f.A), serversOf(f.B))
	case fault.ToMessage:
		return say("beside.did.message."+f.Kind.String(), f.Message.Op.String(), say.who(f.Message.From).Label,
			say.who(f.Message.To).Label)
	case fault.ToClientAt:
		return say("beside.did.from", event.Actor(f.Client).Letter(), server)
	}
	return say("beside.did."+f.Kind.String(), event.Actor(f.Client).Letter())
}

// serversOf names a group of servers as their boxes do.
func serversOf(group fault.Servers) string {
	var names []string
	for n := 1; n <= fault.MaxServer; n++ {
		if group.Has(n) {
			names = append(names, "S"+strconv.Itoa(n))
		}
	}
	return strings.Join(names, " ")
}
