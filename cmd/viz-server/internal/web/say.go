package web

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// The messages to a page.
type (
	sayRun struct {
		Say      string          `json:"say"` // "run"
		Run      string          `json:"run"`
		Host     event.Host      `json:"host"`
		Recipe   string          `json:"recipe"`
		Root     string          `json:"root"`
		Clients  int             `json:"clients"`
		Header   json.RawMessage `json:"header"`          // of the log, as in a trace file
		Query    string          `json:"query,omitempty"` // the scenario, for a link to it
		Branches []branchRow     `json:"branches"`
		Steps    []stepRow       `json:"steps"`
	}
	sayBranch struct {
		Say string `json:"say"` // "branch"
		branchRow
		Steps []stepRow `json:"steps"`
	}
	saySteps struct {
		Say   string    `json:"say"` // "steps"
		Steps []stepRow `json:"steps"`
	}
	sayLink struct {
		Say  string `json:"say"` // "link"
		OK   bool   `json:"ok"`
		Text string `json:"text"`
		// Failed is that the run has ended with this error, rather than that the cluster is out of reach.
		Failed bool `json:"failed,omitempty"`
	}
	sayContenders struct {
		Say     string `json:"say"` // "contenders"
		Clients int    `json:"clients"`
		Most    int    `json:"most"`
	}
	sayError struct {
		Say  string `json:"say"` // "error"
		Text string `json:"text"`
		Do   string `json:"do"` // of the message that was refused
		// AgainMS is after how long it is worth another try; 0 if it will be refused again.
		AgainMS int64 `json:"again_ms,omitempty"`
	}
	branchRow struct {
		ID     int       `json:"id"`
		Parent int       `json:"parent"` // -1 for none
		AtMS   float64   `json:"at_ms"`
		From   event.Seq `json:"from"` // its first own event
		Fault  string    `json:"fault"`
		Events event.Seq `json:"events"` // sequence number of its last event so far, 0 for none
		Ended  bool      `json:"ended"`
	}
	stepRow struct {
		Anchor string    `json:"anchor"`
		Branch int       `json:"branch"`
		Seq    event.Seq `json:"seq"`
		AtMS   float64   `json:"at_ms"`
		Focus  []string  `json:"focus,omitempty"` // what the step is about, as in lessons.Step
	}
)

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// encode turns a message to a page into JSON. These types always can be.
func encode(say any) []byte {
	b, err := json.Marshal(say)
	if err != nil {
		panic(fmt.Sprintf("web: encode %T: %v", say, err))
	}
	return b
}
