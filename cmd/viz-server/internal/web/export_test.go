package web

import (
	"context"
	"sync"
	"testing"

	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/static/strings"
)

// Book opens the lessons once for all tests. That computes all their runs, which takes seconds under the race detector.
var Book = sync.OnceValues(func() (*lessons.Book, error) { return lessons.Open(context.Background()) })

// PseudoBook adds the pseudo-language to that book. Its pages take as long again to make.
var PseudoBook = sync.OnceValues(func() (*lessons.Book, error) {
	book, err := Book()
	if err != nil {
		return nil, err
	}
	return book.With(strings.Pseudo, strings.Pseudonym)
})

func theBook(t *testing.T) *lessons.Book {
	t.Helper()
	book, err := Book()
	if err != nil {
		t.Fatal(err)
	}
	return book
}
