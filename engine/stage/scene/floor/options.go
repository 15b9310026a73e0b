package floor

import (
	"time"

	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/static/strings/words"
)

// Options says how to draw a State.
type Options struct {
	Width, Height float64 // CSS px, at least 320×240 to be readable
	Theme         display.Theme
	Selected      string // "client-3", a znode's path, or ""
	Still         bool   // reduced motion: nothing is caught in mid-air, and nothing moves between events
	// Focus is what to emphasize: "client-3", "root", a znode's path or its end, as "lock". With "log", clients show what
	// their logs say.
	Focus   []string
	Without mark.Figures // figures to leave out
	Words   words.Words  // the sentences of the language files
	// Stood is when the clock last stood still. What appeared by then is fully grown: the reader can't wait for it.
	Stood time.Duration
}
