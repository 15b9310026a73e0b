package panes

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// votes returns a server's table of votes: its own, and those received. It marks the deciding field: in its own row for
// the server's last change of vote, in another row for its own vote against that one.
func votes(s *view.State, n int, say Say) Table {
	b := &s.Ensemble.Servers[n-1].Ballot
	t := Table{Title: say("fact.heard"), Mark: say("fact.decides"), Heads: []string{
		say("fact.server.of"), say("scene.vote.epoch"), say("scene.vote.zxid"), say("fact.for"), say("fact.round")}}
	for i := range max(s.Ensemble.Voters(&s.Header), n) {
		v, by := b.Heard(i+1), view.NoField
		switch {
		case i+1 == n:
			v, by = b.Vote, b.Decided
		case v.For == 0:
			continue
		case v != b.Vote:
			by = b.Vote.Over(v)
		}
		t.Rows = append(t.Rows, []Cell{
			{Text: say.who(event.Server(i + 1)).Label},
			{strconv.Itoa(int(v.Epoch)), by == view.EpochField},
			{hex(v.Zxid), by == view.ZxidField},
			{say.who(v.For).Label, by == view.ServerField},
			{strconv.FormatInt(v.Round, 10), by == view.RoundField},
		})
	}
	return t
}

// caught says how a server synchronizes.
func caught(y *view.Sync, say Say) string {
	leader := say.who(y.Leader).Label
	return say("scene.server.sync", y.How.String(), strconv.Itoa(int(y.Rule))) + ": " +
		say(y.Key(), leader, hex(y.From())) + ", " + say("scene.sync.window", leader, hex(y.Min), hex(y.Max), hex(y.Last))
}
