package lessons

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/recipes"
)

// Limits of a search.
const (
	maxQuery     = 100 // bytes of the query
	maxHits      = 20
	contextBytes = 70 // bytes to show before and after a match
)

// searchEntry is a page that can be found. The search ignores case.
type searchEntry struct {
	kind, title, address string
	text                 string           // its words without the title
	sought               []lessons.Sought // words that lead here though it may not use them
	lowTitle, lowText    string
}

// search answers /search?q=words.
func (s *Pages) search(w http.ResponseWriter, r *http.Request) {
	q := strings.TrimSpace(r.URL.Query().Get("q"))
	for len(q) > maxQuery {
		q = strings.TrimSpace(strings.ToValidUTF8(q[:maxQuery], ""))
	}
	p := page.SearchProps{Frame: s.site.Frame(r, ""), Query: q}
	p.Hits = find(s.searchEntries(p.Lang), q)
	s.site.Render(w, r, http.StatusOK, page.Search(p))
}

// searchIndex answers /search.json on a site of files, with all entries for search.js, which ranks as find does.
func (s *Pages) searchIndex(w http.ResponseWriter, r *http.Request) {
	if !s.site.Exported() {
		s.site.NotFound(w, r)
		return
	}
	var all [][]any
	for _, d := range s.searchEntries(site.LanguageOf(r)) {
		address, fragment, has := strings.Cut(d.address, "#")
		if address = site.File(address); has {
			address += "#" + fragment
		}
		sought := [][2]any{}
		for _, w := range d.sought {
			sought = append(sought, [2]any{w.Word, w.Rank})
		}
		all = append(all, []any{d.kind, d.title, address, d.text, sought})
	}
	text, err := json.Marshal(all)
	if err != nil {
		s.site.Failed(w, r, err)
		return
	}
	body.New("application/json", text, body.Thorough).Serve(w, r, body.AskAgain)
}

// searchEntries returns all pages that can be found in a language.
func (s *Pages) searchEntries(lang page.Lang) []searchEntry {
	if all, ok := s.index.Get(lang); ok {
		return all
	}
	var all []searchEntry
	sought := s.book.Searches(string(lang))
	for i := range s.book.Lessons {
		if !s.has(s.book.Lessons[i].Slug) {
			continue
		}
		l, _ := s.book.Page(s.book.Lessons[i].Slug, string(lang))
		all = append(all, searchEntry{kind: "lesson", title: l.Title, address: "/lessons/" + l.Slug, text: textOf(l),
			sought: sought[l.Slug]})
	}
	for _, t := range s.book.Glossary(string(lang)) {
		all = append(all, searchEntry{kind: "term", title: t.Name, address: "/glossary#" + t.ID, text: t.Text,
			sought: sought["#"+t.ID]})
	}
	words := s.site.Words(lang)
	for _, r := range recipes.All() {
		text := words.Say("recipe." + r.Name)
		if cost := "cost." + r.Name; words.Has(cost) {
			text += " " + words.Say(cost)
		}
		all = append(all, searchEntry{kind: "recipe", title: r.Name, address: "/recipes#" + r.Name, text: text})
	}
	for i := range all {
		// ToLower changes the length of some letters. The shown piece may then begin a little off.
		all[i].lowTitle, all[i].lowText = strings.ToLower(all[i].title), strings.ToLower(all[i].text)
	}
	s.index.Put(lang, all, 1)
	return all
}

// textOf returns the words of a lesson: its lede, steps and questions.
func textOf(l *lessons.Page) string {
	parts := []string{l.Lede}
	for _, step := range l.Steps {
		parts = append(parts, step.Title+".", step.Text)
		if step.Question != nil {
			parts = append(parts, step.Question.Text)
		}
	}
	return strings.Join(parts, " ")
}

// find returns the pages with all the words, and those to which words in the query lead, the best first: words that
// lead there count most, then words in the title, then the number of matches.
func find(all []searchEntry, q string) []page.Hit {
	words := strings.FieldsFunc(strings.ToLower(q), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '-'
	})
	if len(words) == 0 {
		return nil
	}
	type scored struct {
		*searchEntry
		score int
	}
	query := " " + lessons.Plainly(q) + " "
	var found []scored
	for i := range all {
		if score := all[i].score(words) + all[i].leads(query); score > 0 {
			found = append(found, scored{&all[i], score})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var hits []page.Hit
	for _, f := range found[:min(len(found), maxHits)] {
		hits = append(hits, page.Hit{Kind: f.kind, Title: f.title, Address: f.address, Pieces: f.pieces(words[0])})
	}
	return hits
}

// score returns 0 if a word is missing.
func (d *searchEntry) score(words []string) int {
	const inTitle, isTitle = 20, 200
	score := 0
	for _, word := range words {
		n := min(strings.Count(d.lowText, word), inTitle-1)
		if strings.Contains(d.lowTitle, word) {
			n += inTitle
		}
		if n == 0 {
			return 0
		}
		score += n
	}
	whole := strings.Join(words, " ")
	if d.lowTitle == whole {
		score += isTitle
	}
	if strings.Contains(d.lowText, whole) {
		score += inTitle
	}
	return score
}

// leads returns how surely the words of a plain query, with a space at either end, lead to an entry, 0 if none does.
// They needn't be the whole query: people also write what they want to know about it.
func (d *searchEntry) leads(query string) int {
	const whole, part, aRank = 900, 300, 50
	best := 0
	for _, w := range d.sought {
		word := " " + w.Word
		switch {
		case query == word+" " || query == word+"s ":
			best = max(best, whole-w.Rank*aRank)
		case strings.Contains(query, word+" ") || strings.Contains(query, word+"s "):
			best = max(best, part-w.Rank*aRank)
		}
	}
	return best
}

// pieces returns the text around the word's first match, or the beginning of the text.
func (d *searchEntry) pieces(word string) []page.Piece {
	at := strings.Index(d.lowText, word)
	if at < 0 || len(d.lowText) != len(d.text) {
		return []page.Piece{{Text: prefix(d.text, 2*contextBytes)}}
	}
	end := at + len(word)
	return []page.Piece{
		{Text: suffix(d.text[:at], contextBytes)}, {Text: d.text[at:end], Found: true},
		{Text: prefix(d.text[end:], contextBytes)},
	}
}

const dots = "…"

// prefix returns the beginning of a text, whole words of at most `most` bytes.
func prefix(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return s[:strings.LastIndex(s[:most], " ")+1] + dots
}

// suffix returns the end of a text, whole words of at most `most` bytes.
func suffix(s string, most int) string {
	if len(s) <= most {
		return s
	}
	_, rest, _ := strings.Cut(s[len(s)-most:], " ")
	return dots + rest
}
