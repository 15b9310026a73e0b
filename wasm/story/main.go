//go:build js && wasm

package main

import (
	"errors"
	"io"
	"net/url"
	"runtime/debug"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/stage/story"
	"github.com/zkviz/zkviz/static/strings/words"
	"github.com/zkviz/zkviz/wasm/worker"
)

// With more than memory, in bytes, garbage is collected as often as needed, and otherwise when the heap has grown by
// growth percent, since a program's memory never shrinks.
const (
	memory = 128 << 20
	growth = 50
)

func main() {
	debug.SetGCPercent(growth)
	debug.SetMemoryLimit(memory)
	worker.Serve(new(teller).receive)
}

// teller tells the story of one log at a time.
type teller struct {
	log *log
}

// log is a log whose trace file comes in pieces.
type log struct {
	file   *io.PipeWriter
	words  words.Words
	sheets *story.Sheets // nil unless it is read
}

// errOther ends a log that the page has left for another.
var errOther = errors.New("the page wants another log")

// receive handles a message of the page. The page's pieces are of the log that it has asked for last.
func (t *teller) receive(m js.Value) {
	switch kind, id := m.Get("kind").String(), m.Get("id"); {
	case kind == "log":
		if t.log != nil {
			t.log.end(errOther)
		}
		t.log = open(id.Int(), m.Get("words").String())
	case t.log == nil:
	case kind == "piece":
		_, _ = t.log.file.Write(worker.Bytes(m.Get("data"))) // once it has enough, it reads no more
	case kind == "end":
		t.log.end(nil)
	case kind == "sheet":
		t.log.sheet(id.Int(), m.Get("data").String())
	}
}

// open begins to read a log, until the file ends.
func open(id int, said string) *log {
	w, err := words.Read(said)
	if err != nil {
		panic(err) // they are the page's own
	}
	from, to := io.Pipe()
	l := &log{file: to, words: w}
	go func() {
		sheets, err := read(from)
		from.Close()
		if errors.Is(err, errOther) {
			return
		}
		if err != nil {
			worker.Post("refused", id, js.ValueOf(sentence.Voice{Say: w.Say}.Alone(sentence.From(err))))
			return
		}
		l.sheets = sheets
		worker.Post("read", id, js.Undefined())
	}()
	return l
}

// end ends the file, and so what reads it.
func (l *log) end(err error) { _ = l.file.CloseWithError(err) } // it returns nil

// read reads as many events as a story tells.
func read(file io.Reader) (*story.Sheets, error) {
	r, err := trace.NewReader(file)
	if err != nil {
		return nil, err
	}
	all := story.NewSheets(r.Header)
	for {
		e, err := r.Next()
		switch {
		case err == io.EOF:
			return all, nil
		case err != nil:
			return nil, err
		case !all.Append(e):
			return all, nil
		}
	}
}

// sheet answers with a sheet. The page asks once the log is read.
func (l *log) sheet(id int, query string) {
	q, _ := url.ParseQuery(query) // what can't be read isn't there
	if l.sheets != nil {
		worker.Post("sheet", id, js.ValueOf(string(l.sheets.AppendSheet(nil, story.ParseAsk(q), l.words))))
	}
}
