package web_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/static"
)

// TestBuiltWithoutStage checks that a build without the stage's program says so at the start and on its pages, without
// blaming the browser or the network. A build with it says nothing.
func TestBuiltWithoutStage(t *testing.T) {
	t.Parallel()
	for _, built := range []bool{false, true} {
		files := fstest.MapFS{}
		for _, name := range []string{"app.css", "app.js"} {
			text, err := static.Files.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = &fstest.MapFile{Data: text}
		}
		if built {
			files["built/stage.wasm"] = &fstest.MapFile{Data: []byte("a program")}
			for _, ending := range []string{".br", ".gz"} {
				files["built/stage.wasm"+ending] = &fstest.MapFile{Data: []byte("a program")}
			}
		}
		book, err := webtest.Book()
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		ctx, stop := context.WithCancel(t.Context())
		var body string
		err = web.Serve(ctx, web.Config{
			Static: files, Book: book, Log: slog.New(slog.NewTextHandler(&log, nil)),
			Listening: func(url string) {
				go func() {
					defer stop()
					_, _, body = webtest.Get(t, url+"/lessons/the-herd")
				}()
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if warned := strings.Contains(log.String(), "built without the moving picture"); warned == built {
			t.Errorf("built with it: %v; the log says %s", built, log.String())
		}
		if says := strings.Contains(body, `data-failed="This viz-server was built without`); says == built || body == "" {
			t.Errorf("built with it: %v; the page says so: %v", built, says)
		}
		if blames := strings.Contains(body, `data-fetch="The moving picture didn&#39;t arrive`); blames != built {
			t.Errorf("built with it: %v; the page blames the network: %v", built, blames)
		}
	}
}
