package cluster

import (
	"bytes"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// TestTypedIsNotRecorded checks that the form for an address says that what is typed isn't recorded, if others are.
func TestTypedIsNotRecorded(t *testing.T) {
	w, err := uistrings.Load(uistrings.Source)
	if err != nil {
		t.Fatal(err)
	}
	for _, records := range []bool{false, true} {
		p := page.LiveProps{Frame: page.Frame{Lang: uistrings.Source, Words: w, Records: records}, MayType: true}
		var b bytes.Buffer
		if err := page.Live(p).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "isn&#39;t recorded") != records {
			t.Errorf("with recordings: %v, the page is %s", records, b.String())
		}
	}
}
