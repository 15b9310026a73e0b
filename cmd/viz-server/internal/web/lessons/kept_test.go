package lessons

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/lessons"
)

// theBook opens the lessons once for these tests.
var theBook = sync.OnceValues(func() (*lessons.Book, error) { return lessons.Open(context.Background()) })

// thePages returns the pages of the course without a ZooKeeper inside.
func thePages(t *testing.T) *Pages {
	t.Helper()
	book, err := theBook()
	if err != nil {
		t.Fatal(err)
	}
	on, err := site.New(site.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{Site: on, Book: book})
}

// TestOnlyWhatThereIsIsRemembered checks that pictures of missing steps and recipes aren't cached, and the limit of
// sources.
func TestOnlyWhatThereIsIsRemembered(t *testing.T) {
	s := thePages(t)
	slug := s.book.Lessons[0].Slug
	for i := range 100 {
		name := fmt.Sprint("none-", i)
		for _, key := range []pictureKey{{"en", slug, name, page.Usual, false, false},
			{"en", name, name, page.Low, true, false}} {
			if _, ok, err := s.pictures.of(t.Context(), "a", key); ok || err != nil {
				t.Errorf("%v is a picture: %v", key, err)
			}
		}
		s.Source(name)
		if _, ok := s.sources.Get(name); ok {
			t.Errorf("the source of %s is remembered", name)
		}
	}
	if n := len(s.pictures.drawn); n > 0 {
		t.Errorf("%d pictures are remembered", n)
	}
	for i := range maxSources + 1 {
		s.sources.Put(fmt.Sprint(i), page.Source{}, 1)
	}
	_, first := s.sources.Get("0")
	if _, second := s.sources.Get("1"); first || !second {
		t.Errorf("after one source too many the first is there: %t, and the second: %t", first, second)
	}
}

// TestAPictureIsDrawnOnce checks that requests which wait for a picture get the same one.
func TestAPictureIsDrawnOnce(t *testing.T) {
	s := thePages(t)
	lesson := s.book.Lessons[0]
	p := newPictures(s.book, s.site.Words, room.NewTurns(2))
	key := pictureKey{"", lesson.Slug, lesson.Steps[0].Anchor, page.Usual, false, false}
	all := make([]*body.Body, 20)
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			c, ok, err := p.of(t.Context(), room.ClientKey(fmt.Sprint(i)), key)
			if !ok || err != nil {
				t.Errorf("%v, %v", ok, err)
			}
			all[i] = c
		})
	}
	wg.Wait()
	for _, c := range all {
		if c != all[0] {
			t.Fatal("it was drawn more than once")
		}
	}
}

// TestAPictureByItself checks what a picture that is opened by itself may do.
func TestAPictureByItself(t *testing.T) {
	if picturePolicy != "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox" {
		t.Errorf("a picture by itself may do %s", picturePolicy)
	}
}
