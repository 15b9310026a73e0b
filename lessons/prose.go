package lessons

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// A prose file is read line by line:
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
//
// A line that starts with neither is the paragraph's, or the list item's, above it.

var (
	stepHeading = regexp.MustCompile(`^## ([a-z0-9-]+): (.+)$`)
	partHeading = regexp.MustCompile(`^### (ask|challenge|try): (.+)$`)
	listItem    = regexp.MustCompile(`^- ([a-z0-9-]+): (.+)$`)
	digestLine  = regexp.MustCompile(`^of ([0-9a-f]{8})$`)
	langName    = regexp.MustCompile(`^[a-z]{2}$`)
)

type proseReader struct {
	prose Prose
	part  string            // of the current step: "", ask, challenge, try
	items map[string]string // of the current part
	last  string            // key of the item that a next line goes on with
}

// readProse adds the words of one file, named by its language, to l.
func (l *Lesson) readProse(fsys fs.FS, name string) error {
	lang := strings.TrimSuffix(path.Base(name), ".md")
	if !langName.MatchString(lang) {
		return fmt.Errorf("%s: a prose file is named by its language, like en.md", name)
	}
	data, err := readLimited(fsys, name)
	if err != nil {
		return err
	}
	r := proseReader{prose: Prose{Lang: lang}}
	for i, line := range strings.Split(string(data), "\n") {
		if err := r.line(strings.TrimRight(line, " \r"), i+1); err != nil {
			return fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
	}
	if err := r.endStep(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := l.checkProse(&r.prose); err != nil {
		return fmt.Errorf("%s%w", name, err)
	}
	l.Prose[lang] = r.prose
	return nil
}

func (r *proseReader) step() *StepProse {
	if n := len(r.prose.Steps); n > 0 {
		return &r.prose.Steps[n-1]
	}
	return nil
}

func (r *proseReader) line(line string, number int) error {
	switch s := r.step(); {
	case strings.HasPrefix(line, "### "):
		return r.startPart(line)
	case strings.HasPrefix(line, "## "):
		return r.startStep(line, number)
	case strings.HasPrefix(line, "# "):
		if r.prose.Title != "" {
			return fmt.Errorf("a second title: a file has one line that starts with #")
		}
		r.prose.Title = line[2:]
	case r.prose.Title == "":
		if line != "" {
			return fmt.Errorf("the file starts with its title: # Title")
		}
	case s == nil:
		r.prose.Lede = join(r.prose.Lede, line, " ")
	case r.part != "":
		return r.item(line)
	case s.Body == "" && digestLine.MatchString(line):
		s.Of = digestLine.FindStringSubmatch(line)[1]
	default:
		s.Body = strings.TrimLeft(s.Body+"\n"+line, "\n")
	}
	return nil
}

func (r *proseReader) startStep(line string, number int) error {
	if err := r.endStep(); err != nil {
		return err
	}
	m := stepHeading.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("a step's heading is written ## anchor: Title")
	}
	for _, s := range r.prose.Steps {
		if s.Anchor == m[1] {
			return fmt.Errorf("step %s: it is there twice", m[1])
		}
	}
	r.prose.Steps = append(r.prose.Steps, StepProse{Anchor: m[1], Title: m[2], line: number})
	return nil
}

func (r *proseReader) startPart(line string) error {
	s := r.step()
	m := partHeading.FindStringSubmatch(line)
	if m == nil || s == nil {
		return fmt.Errorf("inside a step there are ### ask: …, ### challenge: … and ### try: …")
	}
	if err := r.endPart(); err != nil {
		return err
	}
	r.part, r.items, r.last = m[1], map[string]string{}, ""
	target := map[string]*string{"ask": &s.Ask, "challenge": &s.Goal, "try": &s.Try}[r.part]
	if *target != "" {
		return fmt.Errorf("step %s: a second ### %s", s.Anchor, r.part)
	}
	*target = m[2]
	return nil
}

func (r *proseReader) item(line string) error {
	m := listItem.FindStringSubmatch(line)
	switch {
	case line == "":
		r.last = ""
	case m != nil:
		if _, dup := r.items[m[1]]; dup {
			return fmt.Errorf("%q is there twice", m[1])
		}
		r.items[m[1]], r.last = m[2], m[1]
	case r.last != "":
		r.items[r.last] = join(r.items[r.last], strings.TrimSpace(line), " ")
	default:
		return fmt.Errorf("under ### %s there is a list: - name: text", r.part)
	}
	return nil
}

// endPart moves the part's items to where they belong.
func (r *proseReader) endPart() error {
	s := r.step()
	switch r.part {
	case "ask":
		s.Choices = map[string]Answer{}
		for id, text := range r.items {
			label, why, ok := strings.Cut(text, " | ")
			if !ok || strings.TrimSpace(why) == "" {
				const form = "after its label there is | and a sentence that says why it is right or wrong"
				return fmt.Errorf("step %s: choice %s: %s", s.Anchor, id, form)
			}
			s.Choices[id] = Answer{Label: strings.TrimSpace(label), Why: strings.TrimSpace(why)}
		}
	case "challenge":
		s.Hint, s.Won = r.items["hint"], r.items["won"]
		if s.Hint == "" || s.Won == "" || len(r.items) != 2 {
			return fmt.Errorf("step %s: a challenge has a hint, says what was won, and nothing more", s.Anchor)
		}
	case "try":
		s.Labels = r.items
	}
	r.part = ""
	return nil
}

func (r *proseReader) endStep() error {
	if err := r.endPart(); err != nil {
		return err
	}
	if s := r.step(); s != nil {
		s.Body = strings.TrimSpace(s.Body)
	}
	return nil
}

func join(a, b, sep string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + sep + b
}
