package lessons_test

import (
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/lessons"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

func TestPictures(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	book, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	l := book.Lessons[0]
	address := srv.URL + "/lessons/" + l.Slug + "/" + l.Steps[0].Anchor + ".svg"
	status, h, light := webtest.Get(t, address)
	if status != 200 || h.Get("Content-Type") != "image/svg+xml" ||
		!strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%d %v", status, h)
	}
	d := xml.NewDecoder(strings.NewReader(light))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if _, _, dark := webtest.Get(t, address+"?theme=dark"); dark == light {
		t.Error("the dark picture is the light one")
	}
	for path, want := range map[string]int{
		address + "?theme=pink":                                 400,
		address + "?theme=dark&shape=round":                     400,
		strings.TrimSuffix(address, ".svg"):                     404,
		srv.URL + "/lessons/" + l.Slug + "/none.svg":            404,
		srv.URL + "/lessons/none/" + l.Steps[0].Anchor + ".svg": 404,
		srv.URL + "/lessons/none":                               404,
		srv.URL + "/recipes/none.svg":                           404,
		srv.URL + "/recipes/unique-lock":                        404,
		srv.URL + "/recipes/unique-lock.svg":                    200,
		srv.URL + "/nowhere":                                    404,
	} {
		if status, _, _ := webtest.Get(t, path); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
}

// TestPicturesHaveTheirSize checks the size of pictures in every shape, of one run and of two.
func TestPicturesHaveTheirSize(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	for _, of := range []struct {
		path string
		pair bool
	}{{"/lessons/fencing/learns.svg", false}, {"/lessons/fencing/price.svg", true}, {"/recipes/unique-lock.svg", false}} {
		for _, shape := range []page.Shape{page.Usual, page.Tall, page.Low} {
			_, _, svg := webtest.Get(t, srv.URL+of.path+"?theme=light&shape="+string(shape))
			width, height := shape.Size(of.pair)
			if want := fmt.Sprintf(`width="%d" height="%d"`, width, height); !strings.Contains(svg, want) {
				t.Errorf("%s, %q, begins %.200s, want %s", of.path, shape, svg, want)
			}
		}
	}
}

// TestPicturesOfTwoRuns checks that a picture of two runs has their totals only if its step compares costs.
func TestPicturesOfTwoRuns(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	for path, want := range map[string]bool{
		"/lessons/fencing/price.svg": true, "/lessons/one-name-one-lock/no-lock.svg": false,
		"/lessons/a-queue/twice.svg": false,
	} {
		_, _, svg := webtest.Get(t, srv.URL+path)
		if got := strings.Contains(svg, ">requests "); got != want {
			t.Errorf("%s has totals: %v", path, got)
		}
	}
}

// TestPicturesByLanguage checks that a picture has its page's language, in any order of requests.
func TestPicturesByLanguage(t *testing.T) {
	const path = "/lessons/the-herd/number.svg"
	for _, order := range [][]page.Lang{{"en", uistrings.Pseudo, "en"}, {uistrings.Pseudo, "en", uistrings.Pseudo}} {
		srv := webtest.Serve(t, web.Config{Pseudo: true})
		for _, lang := range order {
			_, _, svg := webtest.Get(t, srv.URL+lang.To(path))
			if marked := strings.Contains(svg, "[!! "); marked != (lang == uistrings.Pseudo) {
				t.Errorf("in %s, asked for in the order %s, the picture's words are in another language", lang, order)
			}
		}
	}
}

// TestPairsAreNamed checks that above each of two runs stands what the lesson calls it, whole on every screen.
func TestPairsAreNamed(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	book, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range book.Lessons {
		words, _ := book.Page(l.Slug, lessons.Source)
		for _, s := range words.Steps {
			if s.Beside == "" {
				continue
			}
			names, _, _ := player.RunNames(s.Names)
			for _, shape := range []page.Shape{page.Usual, page.Tall, page.Low} {
				_, _, svg := webtest.Get(t, srv.URL+"/lessons/"+l.Slug+"/"+s.Anchor+".svg?shape="+string(shape))
				for _, name := range names {
					if !strings.Contains(svg, ">"+html.EscapeString(name)+"</text>") {
						t.Errorf("%s/%s, %q: %q isn't there", l.Slug, s.Anchor, shape, name)
					}
				}
			}
			if names[0] == names[1] {
				t.Errorf("%s/%s: both are called %q", l.Slug, s.Anchor, names[0])
			}
		}
	}
}
