package bridge

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// Next returns who waits after the event seq, which client then gets what it came for, and at which event, as the page
// asks an audience: "client-2 client-3;client-2;57". The last two are "" and 0 if the log has no such event.
func Next(h *view.History, s *view.State, seq event.Seq) string {
	var b strings.Builder
	for i := range s.Clients {
		if c := &s.Clients[i]; c.Belief.Phase == program.Waiting && !c.Crashed && !c.Exited {
			b.WriteString(c.Name + " ")
		}
	}
	name, at := "", 0
	for i := int(seq); i < h.Len() && at == 0; i++ {
		if e := h.Event(i); e.Kind == event.RecipePhase && program.Phase(e.Text).Gets() {
			name, at = e.Actor.String(), i+1
		}
	}
	return b.String() + ";" + name + ";" + strconv.Itoa(at)
}
