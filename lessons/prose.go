package lessons

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/zkviz/zkviz/engine/stage/player"
)

// A prose file is Markdown, whose headings and lists have names:
//
//	# The lesson's title
//	One sentence for the list of lessons.
//
//	## anchor: The step's title
//	of 1a2b3c4d                       (translations only: the digest of the source step)
//	Paragraphs, as Markdown without headings and HTML.
//	### ask: The question
//	- choice: Label | Why it is right, or tempting and wrong
//	### challenge: The goal
//	- hint: …
//	- won: …
//	### try: What the buttons are for
//	- button: Label
//	### repair: Which lines are missing
//	- choice: Label | What comes of it, and why
//	### order: What happened first
//	- line: What happened | Why it can't have happened earlier
//	### vary: How a sentence begins
//	- value: The value | How the sentence goes on
//	### beside: Name of the lesson's run | Name of the run beside it

var (
	stepHeading = regexp.MustCompile(`^## ([a-z0-9-]+): (.+)$`)
	partHeading = regexp.MustCompile(`^### (ask|challenge|try|repair|order|vary|beside): (.+)$`)
	listItem    = regexp.MustCompile(`^([a-z0-9-]+): (.+)$`)
	digestLine  = regexp.MustCompile(`^of ([0-9a-f]{8})(?:\n|$)`)
	langName    = regexp.MustCompile(`^[a-z]{2}(-[A-Z]{2})?$`)
)

type proseReader struct {
	src   []byte
	prose Prose
	part  string            // of the current step: "", ask, challenge, try, repair, order, vary, beside
	items map[string]string // of the current part
	from  int               // where the words below the last heading begin
	at    int               // where the current block is
}

// readProse adds the words of one file, named by its language, to l.
func (l *Lesson) readProse(fsys fs.FS, name string) error {
	prose, err := readWords(fsys, name)
	if err != nil {
		return err
	}
	if err := l.checkProse(&prose); err != nil {
		return fmt.Errorf("%s%w", name, err)
	}
	l.Prose[prose.Lang] = prose
	return nil
}

// readSections reads the words of a folder that isn't a lesson, by language. They are written like a lesson's, with
// sections in place of steps.
func readSections(fsys fs.FS, folder string) (map[string]Prose, error) {
	names, err := fs.Glob(fsys, folder+"/*.md")
	if err != nil {
		return nil, err
	}
	all := map[string]Prose{}
	for _, name := range names {
		prose, err := readWords(fsys, name)
		if err != nil {
			return nil, err
		}
		for _, s := range prose.Steps {
			if err := checkMarkdown(s.Body); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, s.line, err)
			}
		}
		all[prose.Lang] = prose
	}
	return all, nil
}

// readWords reads one file, named by its language.
func readWords(fsys fs.FS, name string) (Prose, error) {
	lang := strings.TrimSuffix(path.Base(name), ".md")
	if !langName.MatchString(lang) {
		return Prose{}, fmt.Errorf("%s: a prose file must be named after its language, like en.md", name)
	}
	data, err := readLimited(fsys, name)
	if err != nil {
		return Prose{}, err
	}
	r := proseReader{src: data, prose: Prose{Lang: lang}}
	for n := parse(string(data)).FirstChild(); n != nil; n = n.NextSibling() {
		if err := r.block(n); err != nil {
			return Prose{}, fmt.Errorf("%s:%d: %w", name, lineAt(data, int64(r.at)), err)
		}
	}
	if err := r.end(len(data)); err != nil {
		return Prose{}, fmt.Errorf("%s: %w", name, err)
	}
	return r.prose, nil
}

// start returns where a block's text starts in the source, 0 if it has none.
func start(n ast.Node) int {
	for ; n != nil && n.Type() == ast.TypeBlock; n = n.FirstChild() {
		if n.Lines().Len() > 0 {
			return n.Lines().At(0).Start
		}
	}
	return 0
}

func (r *proseReader) step() *StepProse {
	if n := len(r.prose.Steps); n > 0 {
		return &r.prose.Steps[n-1]
	}
	return nil
}

// block takes a heading, or an item of a part. The other words are taken as a whole at the next heading.
func (r *proseReader) block(n ast.Node) error {
	r.at = start(n)
	if h, ok := n.(*ast.Heading); ok && h.Level <= 3 {
		return r.heading(h.Level)
	}
	list, ok := n.(*ast.List)
	switch {
	case r.prose.Title == "":
		return fmt.Errorf("the file must start with its title: # Title")
	case r.part == "":
		return nil
	case !ok:
		return fmt.Errorf("under ### %s there must be a list: - name: text", r.part)
	}
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		if err := r.item(item); err != nil {
			return err
		}
	}
	return nil
}

func (r *proseReader) heading(level int) error {
	from := bytes.LastIndexByte(r.src[:r.at], '\n') + 1
	line, _, _ := strings.Cut(string(r.src[from:]), "\n")
	if err := r.end(from); err != nil {
		return err
	}
	r.from = from + len(line)
	line = strings.TrimRight(line, " \r")
	switch level {
	case 1:
		if r.prose.Title != "" {
			return fmt.Errorf("a second title: only one line may start with #")
		}
		r.prose.Title = strings.TrimPrefix(line, "# ")
		return nil
	case 2:
		return r.startStep(line)
	}
	return r.startPart(line)
}

func (r *proseReader) startStep(line string) error {
	m := stepHeading.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("a step's heading must be like ## anchor: Title")
	}
	r.prose.Steps = append(r.prose.Steps, StepProse{Anchor: m[1], Title: m[2], line: lineAt(r.src, int64(r.at))})
	return nil
}

func (r *proseReader) startPart(line string) error {
	s := r.step()
	m := partHeading.FindStringSubmatch(line)
	if m == nil || s == nil {
		const known = "### ask: …, ### challenge: …, ### try: …, ### repair: …, ### order: …, ### vary: … and ### beside: …"
		return fmt.Errorf("inside a step only %s are allowed", known)
	}
	r.part, r.items = m[1], map[string]string{}
	target := map[string]*string{"ask": &s.Ask, "challenge": &s.Goal, "try": &s.Try, "repair": &s.Repair,
		"order": &s.Order, "vary": &s.Vary, "beside": &s.Beside}[r.part]
	if *target != "" {
		return fmt.Errorf("step %s: a second ### %s", s.Anchor, r.part)
	}
	*target = m[2]
	return nil
}

func (r *proseReader) item(n ast.Node) error {
	r.at = start(n)
	var words []string
	for block := n.FirstChild(); block != nil; block = block.NextSibling() {
		words = append(words, strings.Fields(string(block.Lines().Value(r.src)))...)
	}
	m := listItem.FindStringSubmatch(strings.Join(words, " "))
	if m == nil {
		return fmt.Errorf("under ### %s there must be a list: - name: text", r.part)
	}
	name, text := m[1], m[2]
	if _, dup := r.items[name]; dup {
		return fmt.Errorf("duplicate name %q", name)
	}
	explained := slices.Contains([]string{"ask", "repair", "order", "vary"}, r.part)
	if _, why, _ := strings.Cut(text, " | "); explained && why == "" {
		const form = "after its label there is | and a sentence that says what follows from it"
		return fmt.Errorf("step %s: choice %s: %s", r.step().Anchor, name, form)
	}
	r.items[name] = text
	return nil
}

// end takes the words below the last heading, up to a place in the source.
func (r *proseReader) end(at int) error {
	words := strings.TrimSpace(string(r.src[r.from:at]))
	s := r.step()
	switch {
	case s == nil:
		r.prose.Lede = strings.Join(strings.Fields(words), " ")
	case r.part != "":
		return r.endPart(s)
	default:
		if m := digestLine.FindStringSubmatch(words); m != nil {
			s.Of, words = m[1], strings.TrimSpace(words[len(m[0]):])
		}
		s.Body = words
	}
	return nil
}

// answers returns the part's items, each a label and a sentence.
func (r *proseReader) answers() map[string]Answer {
	all := map[string]Answer{}
	for id, text := range r.items {
		label, why, _ := strings.Cut(text, " | ")
		all[id] = Answer{Label: label, Why: why}
	}
	return all
}

// endPart moves the part's items to their place in the step.
func (r *proseReader) endPart(s *StepProse) error {
	switch r.part {
	case "ask":
		s.Choices = r.answers()
	case "repair":
		s.Patches = r.answers()
	case "order":
		s.Lines = r.answers()
	case "vary":
		s.Values = r.answers()
	case "challenge":
		s.Hint, s.Won = r.items["hint"], r.items["won"]
		if s.Hint == "" || s.Won == "" || len(r.items) != 2 {
			return fmt.Errorf("step %s: a challenge must have a hint, a text for success, and nothing more", s.Anchor)
		}
	case "try":
		s.Labels = r.items
	case "beside":
		if names, more, _ := player.RunNames(s.Beside); names[0] == "" || names[1] == "" || more != "" || len(r.items) > 0 {
			return fmt.Errorf("step %s: ### beside: names the lesson's run, and after | the one beside it", s.Anchor)
		}
	}
	r.part = ""
	return nil
}
