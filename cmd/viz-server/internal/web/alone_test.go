package web

import (
	"reflect"
	"testing"

	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/lessons"
)

// TestLessonsByQuery checks that a page that goes on without its server gets the same run of every lesson by the query
// that the server has sent.
func TestLessonsByQuery(t *testing.T) {
	book, err := lessons.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range book.Lessons {
		want := l.Scenario
		want.Lines, want.MaxEvents = true, room.MaxRunEvents
		want = want.WithDefaults()
		if got, err := room.Asked(want.Query()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", l.Slug, got, err, want)
		}
	}
}
