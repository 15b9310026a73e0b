package scene_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

// TestGoldenSVG compares pictures with golden files. Look at changed pictures in a browser.
func TestGoldenSVG(t *testing.T) {
	small := scene.Options{Words: english, Width: 360, Height: 300, Theme: display.Light()}
	dark := scene.Options{Words: english, Width: 640, Height: 240, Theme: display.Dark(), Still: true,
		Focus: []string{"client-1"}}
	wide := scene.Options{Words: english, Width: 640, Height: 400, Theme: display.Light()}
	for name, c := range map[string]struct {
		s *view.State
		o scene.Options
	}{
		"chain":   {queued("predecessor-lock", 6), small},
		"herd":    {release(queued("children-lock", 6)), small},
		"expired": {expiredHolder(4), dark},
		"barrier": {barrier(4, 3, false), dark},
		"queue":   {fifo(2, 2, 9), small},
		"tree":    {tree(2), small},
		"crowd":   {release(unique(70)), small},
		"hostile": {hostile(tree(0)), small},

		"key-held":      {keyHeld(4, 10*time.Second).end(), small},
		"key-forgotten": {forgotten(3), dark},
		"key-lost":      {bothBelieve(3), wide},
		"row-locked":    {database(4), wide},
		"failover":      {lostTail(3), wide},
		"majority":      {majority(3), wide},
		"leases":        {leases(4), wide},
		"beside":        {besideDatabase(3), wide},
	} {
		golden.Compare(t, filepath.Join("testdata", name+".svg"), string(svgOf(t, c.s, c.o)))
	}
}

func svgOf(t *testing.T, s *view.State, o scene.Options) []byte {
	t.Helper()
	var f scene.Frame
	var b bytes.Buffer
	f.Draw(s, now, o)
	if err := scene.WriteSVG(&b, &f, s.Root); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// FuzzNames puts malicious names and data into a picture. The document must stay well-formed, and contain only the
// elements that the writer writes, and text.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"a", "<script>alert(1)</script>", "]]>", "\x00\x1b[2J", "\"onload='x'", "\u202eevil",
		"&amp;", "\xff\xfe", strings.Repeat("x", 100_000), "名前", "lock-0000000001"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, name, data string) {
		far := signalled(2)
		far.Remotes.Entries = append(far.Remotes.Entries, view.Entry{Node: event.Node(1), Path: name, Text: data, Owner: 2})
		far.Remotes.Kept = append(far.Remotes.Kept, view.Kept{Node: event.Node(1), Client: 2, Path: name})
		far.Flights.List = append(far.Flights.List,
			view.Flight{From: 1, To: event.Node(1), Op: event.Command, Text: data, Sent: now})
		for _, s := range []*view.State{queued("children-lock", 2), fifo(1, 1, 1), tree(1), far} {
			s.Root += name
			s.Lost = len(data)%2 == 1
			s.Clients[0].Note, s.Clients[0].Name, s.Clients[0].Err = data, name, data
			add(s, view.Node{Path: s.Root, Number: -1, Data: data})
			add(s, view.Node{Path: s.Root + "/" + name, Number: -1, Data: data, Mode: zoo.Ephemeral})
			add(s, view.Node{Path: s.Root + "/" + name + "-0000000009", Number: 9, Data: data, Mode: zoo.EphemeralSequential})
			doc := svgOf(t, s, scene.Options{Words: english, Width: 640, Height: 400, Theme: display.Light(), Selected: "/" +
				name})
			if err := harmless(doc); err != nil {
				t.Errorf("%v in %.2000s", err, doc)
			}
			if len(doc) > 200_000 {
				t.Errorf("the document has %d bytes", len(doc))
			}
		}
	})
}

// harmless parses the document and returns an error for anything that the writer never writes.
func harmless(doc []byte) error {
	dec := xml.NewDecoder(bytes.NewReader(doc))
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch e := tok.(type) {
		case xml.StartElement:
			if !strings.Contains(" svg title desc rect circle line path text ", " "+e.Name.Local+" ") {
				return errors.New("element " + e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || strings.HasSuffix(a.Name.Local, "href") {
					return errors.New("attribute " + a.Name.Local)
				}
			}
		case xml.Comment, xml.Directive, xml.ProcInst:
			return errors.New("something that is no element")
		}
	}
}

// failing is a writer that always fails.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteSVGReportsTheWriter(t *testing.T) {
	var f scene.Frame
	f.Draw(queued("children-lock", 3), now, scene.Options{Words: english, Width: 640, Height: 400, Theme: display.Light()})
	if err := scene.WriteSVG(failing{}, &f, "x"); err == nil {
		t.Error("no error")
	}
}
