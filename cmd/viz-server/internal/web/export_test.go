package web

import (
	"context"
	"sync"
	"testing"

	"github.com/zkviz/zkviz/lessons"
)

// Book opens the lessons once for all tests: the runs of all are computed for that, some seconds' work under the race
// detector.
var Book = sync.OnceValues(func() (*lessons.Book, error) { return lessons.Open(context.Background()) })

func theBook(t *testing.T) *lessons.Book {
	t.Helper()
	book, err := Book()
	if err != nil {
		t.Fatal(err)
	}
	return book
}
