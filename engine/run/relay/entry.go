package relay

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// The kinds of entries.
const (
	kindEvents = 'e' // a block of engine/event/packed
	kindEnded  = 'x' // the log has ended: a sentence, or nothing if another log can begin at once
)

var errEntry = errors.New("an entry of a shared observation can't be read")

// endOf returns the entry that ends a log.
func endOf(why error) []byte {
	entry := []byte{kindEnded}
	if why == nil {
		return entry
	}
	text, err := json.Marshal(sentence.From(why))
	if err != nil {
		panic(err) // it has no value that JSON lacks
	}
	return append(entry, text...)
}

// read calls yield with an entry's events, until that returns false. It returns why the log has ended, if it has:
// event.ErrLogFull if another can begin.
func read(entry []byte, yield func(event.Event) bool) error {
	if len(entry) == 0 {
		return errEntry
	}
	switch kind, data := entry[0], entry[1:]; kind {
	case kindEvents:
		var d packed.Decoder
		d.Begin(data)
		for e := (event.Event{}); d.Next(&e) && yield(e); {
		}
		if err := d.Err(); err != nil {
			return fmt.Errorf("%w: %w", errEntry, err)
		}
		return nil
	case kindEnded:
		var why sentence.Sentence
		if len(data) == 0 {
			return event.ErrLogFull
		}
		if json.Unmarshal(data, &why) != nil {
			return errEntry
		}
		return sentence.Error(why.Key, why.Args...)
	}
	return errEntry // of a later version
}
