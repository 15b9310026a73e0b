package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// block is a line of a coverage profile: some statements, and how often they ran.
type block struct {
	file                   string
	Line, Col, ToLine, ToC int
	statements, count      int
}

func (b block) contains(at token.Position) bool {
	return (at.Line > b.Line || at.Line == b.Line && at.Column >= b.Col) &&
		(at.Line < b.ToLine || at.Line == b.ToLine && at.Column < b.ToC)
}

// coverCases adds the case conditions of each reached switch to a coverage profile. The profile of go test has only
// statements, and gremlins changes only what is covered.
func coverCases(profile, source string) error {
	text, err := os.ReadFile(profile)
	if err != nil {
		return err
	}
	reached, err := reachedBlocks(string(text))
	if err != nil {
		return fmt.Errorf("read %s: %w", profile, err)
	}
	for file, blocks := range reached {
		src, err := parseSource(filepath.Join(source, path.Base(file)))
		if err != nil {
			return err
		}
		text = append(text, src.cases(file, blocks)...)
	}
	return os.WriteFile(profile, text, 0o644)
}

func reachedBlocks(profile string) (map[string][]block, error) {
	reached := map[string][]block{}
	_, lines, _ := strings.Cut(profile, "\n") // the first line is the mode
	for line := range strings.Lines(lines) {
		file, rest, _ := strings.Cut(line, ":")
		b := block{file: file}
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.Line, &b.Col, &b.ToLine, &b.ToC, &b.statements,
			&b.count); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		if b.count > 0 {
			reached[file] = append(reached[file], b)
		}
	}
	return reached, nil
}

// cases returns profile lines for the case conditions of all switches inside the blocks.
func (s source) cases(file string, reached []block) string {
	var lines strings.Builder
	ast.Inspect(s.file, func(n ast.Node) bool {
		if sw, ok := n.(*ast.SwitchStmt); ok && s.in(sw.Pos(), reached) {
			for _, stmt := range sw.Body.List {
				if list := stmt.(*ast.CaseClause).List; len(list) > 0 {
					from, to := s.set.Position(list[0].Pos()), s.set.Position(list[len(list)-1].End())
					fmt.Fprintf(&lines, "%s:%d.%d,%d.%d 1 1\n", file, from.Line, from.Column, to.Line, to.Column)
				}
			}
		}
		return true
	})
	return lines.String()
}

func (s source) in(pos token.Pos, blocks []block) bool {
	for _, b := range blocks {
		if b.contains(s.set.Position(pos)) {
			return true
		}
	}
	return false
}
