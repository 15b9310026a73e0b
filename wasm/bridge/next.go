package bridge

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event/program"
)

// Next returns who waits at a moment of a run, which client then gets what it came for, and at which event, as the page
// asks an audience: "client-2 client-3;client-2;57". The last is 0 if nobody in the log does.
func Next(h *view.History, s *view.State) string {
	text := ""
	for i := range s.Clients {
		if c := &s.Clients[i]; c.Belief.Phase == program.Waiting && !c.Crashed && !c.Exited {
			text += c.Name + " "
		}
	}
	who, at := challenge.NextIn(h, s.Seq)
	return text + ";" + who.String() + ";" + strconv.Itoa(int(at))
}
