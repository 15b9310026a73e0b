package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/front"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/lessons"
)

// Sizes of a frame in CSS pixels: the usual one, and the smallest that a page fits in.
const (
	frameWidth, frameHeight       = 800, 600
	minFrameWidth, minFrameHeight = 320, 240
)

// oembed describes a page in a frame, as https://oembed.com says.
type oembed struct {
	Version  string `json:"version"`
	Type     string `json:"type"`
	Provider string `json:"provider_name"`
	Title    string `json:"title"`
	HTML     string `json:"html"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
}

// serveOEmbed answers /oembed?url=ADDRESS, for programs that make frames of links. The address is one of a lesson or of
// the Lab here, with or without this server's name.
func (s *Server) serveOEmbed(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	width, wide := within(q.Get("maxwidth"), frameWidth, minFrameWidth)
	height, high := within(q.Get("maxheight"), frameHeight, minFrameHeight)
	at, title, ok := s.embedded(r, q.Get("url"))
	switch {
	case q.Has("format") && q.Get("format") != "json":
		http.Error(w, "there is only json", http.StatusNotImplemented)
	case !ok || !wide || !high:
		http.NotFound(w, r)
	default:
		respondOEmbed(w, r, at, title, width, height)
	}
}

// serveOEmbedFile answers with the description of a lesson on a site of files whose address is known.
func (s *Server) serveOEmbedFile(w http.ResponseWriter, r *http.Request) {
	lang := site.LanguageOf(r)
	l, ok := s.book.Page(r.PathValue("slug"), string(lang))
	at := s.site.Absolute(s.site.At(lang, "/lessons/"+r.PathValue("slug")))
	u, err := url.Parse(at)
	if !ok || at == "" || err != nil {
		http.NotFound(w, r)
		return
	}
	u.RawQuery = "embed=words,steps,play"
	respondOEmbed(w, r, u, l.Title, frameWidth, frameHeight)
}

func respondOEmbed(w http.ResponseWriter, r *http.Request, at *url.URL, title string, width, height int) {
	text, err := json.Marshal(oembed{
		Version: "1.0", Type: "rich", Provider: "zkviz", Title: title, Width: width, Height: height,
		HTML: fmt.Sprintf(`<iframe src="%s" title="%s" loading="lazy" width="%d" height="%d" style="border: 0"></iframe>`,
			html.EscapeString(at.String()), html.EscapeString(title), width, height),
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	body.New("application/json", text, body.Quick).Serve(w, r, body.AskAgain)
}

// within returns the usual size, or the largest that is asked for if that is less. It reports whether a page fits in.
func within(text string, usual, least int) (size int, fits bool) {
	most, err := strconv.Atoi(cmp.Or(text, strconv.Itoa(usual)))
	return min(most, usual), err == nil && most >= least
}

// embedded returns the absolute address of a page in a frame, made of nothing but what is known of the page, and its
// title.
func (s *Server) embedded(r *http.Request, address string) (at *url.URL, title string, ok bool) {
	a, err := link.ParseAddress(address)
	u, badURL := url.Parse(address)
	if err != nil || badURL != nil || u.Opaque != "" || u.User != nil || (u.Host == "") != (u.Scheme == "") ||
		u.Host != "" && !isNamed(u.Host, r, s.named) {
		return nil, "", false
	}
	lang, path, parts := s.site.LanguageAt(u.Path), "/lab", "play"
	title = s.site.Words(lang).Say("lab.head")
	if a.Lesson != "" {
		l, ok := s.book.Page(a.Lesson, string(lang))
		if !ok || a.Step != "" && !slices.ContainsFunc(l.Steps, func(step lessons.PageStep) bool {
			return step.Anchor == a.Step
		}) {
			return nil, "", false
		}
		path, parts, title = "/lessons/"+l.Slug, "words,steps,play", l.Title
	}
	if s.site.At(lang, path) != u.Path {
		return nil, "", false
	}
	at = front.Address(r, u.Path)
	at.Scheme, at.Host, at.Fragment = cmp.Or(u.Scheme, at.Scheme), cmp.Or(u.Host, at.Host), a.Step
	at.RawQuery = link.Join("embed="+parts, a.Query.Encode())
	return at, title, true
}
