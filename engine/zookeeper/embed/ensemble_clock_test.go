package embed

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/fault"
)

// TestNobodySetsTheClock checks that servers that real clients use keep their time of day.
func TestNobodySetsTheClock(t *testing.T) {
	ensembleBubble(t, small(3), func(t *testing.T, e *ensembleTest) {
		for _, text := range []string{"jump server at 0s by -5s", "jump server-2 at 0s by 5s"} {
			f, err := fault.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Inject(f); err == nil || !strings.Contains(err.Error(), "refused.clock") {
				t.Errorf("%s: %v", text, err)
			}
		}
	})
}
