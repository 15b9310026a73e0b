package tidy_test

import (
	"go/ast"
	"go/token"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocComments checks that each visible exported identifier has a doc comment.
func TestDocComments(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.isTest() || f.ast.Name.Name == "main" {
			continue
		}
		for _, d := range f.ast.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s:%d: %s has no doc comment", f.name, f.line(d.Pos()), name)
			}
		}
	}
}

// undocumented returns the exported names of a declaration that lack a comment.
func undocumented(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		enumerated := false // values of a type whose comment describes them
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				enumerated = enumerated || d.Lparen.IsValid() && s.Type != nil
				for _, name := range s.Names {
					if name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil && !enumerated {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// exportedReceiver reports whether other packages can call a method. Methods that only implement an interface
// (String, Error, Len and the like) need no comment.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	of := d.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if index, ok := of.(*ast.IndexExpr); ok {
		of = index.X
	}
	name, ok := of.(*ast.Ident)
	return ok && name.IsExported() && !slices.Contains(wellKnown, d.Name.Name)
}

var wellKnown = []string{"String", "Error", "Unwrap", "Len", "Less", "Swap", "MarshalText", "UnmarshalText",
	"MarshalJSON", "UnmarshalJSON", "Write", "Read", "Close", "ServeHTTP"}

var (
	// says matches a doc comment from its name on: a verb in the third person, perhaps with an adverb before it.
	says = regexp.MustCompile(`^(only |\w+ly )?(is|are|\w+s)\b`)
	// nouns match a function's comment that says what the function is, instead of what it does.
	nouns = regexp.MustCompile(`^(is|are) (that|those|what|who|whom|why|how|where|when|whether)\b`)
	// points match a comment that only points to something.
	points = regexp.MustCompile(`^(is that|are those)\b`)
)

// TestDocCommentsSay checks that the comment of a function or type begins with its name and says what it does or is.
func TestDocCommentsSay(t *testing.T) {
	for _, f := range goFiles(t) {
		for _, d := range f.ast.Decls {
			for name, doc := range docs(d) {
				text := strings.Join(strings.Fields(doc.Text()), " ")
				named, rest := cutName(text, name.Name)
				_, function := d.(*ast.FuncDecl)
				switch {
				case named && (points.MatchString(rest) || function && nouns.MatchString(rest)),
					!f.isTest() && name.IsExported() && isWorded(d) && !(named && says.MatchString(rest)):
					t.Errorf("%s:%d: begin with %s and what it does: %q", f.name, f.line(name.Pos()), name.Name, text)
				}
			}
		}
	}
}

// docs yields what a declaration declares, with its comment.
func docs(d ast.Decl) iter.Seq2[*ast.Ident, *ast.CommentGroup] {
	return func(yield func(*ast.Ident, *ast.CommentGroup) bool) {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc != nil {
				yield(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				var name *ast.Ident
				var doc *ast.CommentGroup
				switch s := spec.(type) {
				case *ast.TypeSpec:
					name, doc = s.Name, s.Doc
				case *ast.ValueSpec:
					name, doc = s.Names[0], s.Doc
				}
				if doc == nil && !d.Lparen.IsValid() {
					doc = d.Doc
				}
				if doc != nil && name != nil && !yield(name, doc) {
					return
				}
			}
		}
	}
}

// isWorded reports whether sentences describe a declaration. Values in a list may have a few words each.
func isWorded(d ast.Decl) bool {
	g, list := d.(*ast.GenDecl)
	return !list || !g.Lparen.IsValid() || g.Tok == token.TYPE
}

// cutName cuts a name off a comment that begins with it, perhaps after an article.
func cutName(text, name string) (named bool, rest string) {
	for _, article := range []string{"A ", "An ", "The "} {
		text = strings.TrimPrefix(text, article)
	}
	rest, named = strings.CutPrefix(text, name+" ")
	return named, rest
}
