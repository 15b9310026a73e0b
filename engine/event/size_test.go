package event

import (
	"reflect"
	"testing"
)

func TestSizeCountsTheStrings(t *testing.T) {
	if is := int(reflect.TypeFor[Event]().Size()); is != fixedSize {
		t.Errorf("an Event takes %d bytes, not %d", is, fixedSize)
	}
	if got := (Event{Path: "/locks/a", Text: "data"}).Size(); got != fixedSize+12 {
		t.Errorf("an event with 12 bytes of strings has the size %d", got)
	}
}
