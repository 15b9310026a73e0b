package compare

import (
	"strings"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// statements is a Sink that adds up the bytes of statements, answers and notifications on the connections to a
// database, as traffic does for ZooKeeper: each is a message of PostgreSQL's simple protocol, or a COM_QUERY with
// MariaDB's answer to a client that wants no EOF packets. MySQL takes a byte less for each result with columns. For
// PostgreSQL's errors it counts the code and the message, and nothing else that a server may add.
type statements struct {
	Bytes int64

	dialect sql.Dialect
	asked   map[[2]event.Actor]string // the last statement of each client at each node
	cut     bool                      // a text was too long for the log: the number of bytes isn't known
}

// Append adds the next event.
func (s *statements) Append(e event.Event) {
	link := [2]event.Actor{e.Actor, e.Peer}
	switch {
	case e.Kind == event.OpSent && e.Op == event.Command:
		s.asked[link] = e.Text
		s.Bytes += int64(s.frame() + len(e.Text))
	case e.Kind == event.OpDone && e.Op == event.Command && e.Code >= 0:
		s.Bytes += int64(s.answer(s.asked[link], e.Text, e.Code > 0))
	case e.Kind == event.PushDelivered:
		s.Bytes += int64(1 + 4 + 4 + len(e.Path) + 1 + len(e.Text) + 1)
	default:
		return
	}
	s.cut = s.cut || len(e.Text) > event.MaxText-utf8.UTFMax
}

// frame returns the bytes of a statement without its text.
func (s *statements) frame() int {
	if s.dialect == sql.Postgres {
		return 1 + 4 + 1 // type, length, and a zero byte at the end
	}
	return 4 + 1 // length and number, and the command
}

// answer returns the length of the answer to a statement, given the answer's text.
func (s *statements) answer(asked, text string, failed bool) int {
	if s.dialect == sql.Postgres {
		return postgresAnswer(asked, text, failed)
	}
	return mysqlAnswer(asked, text, failed)
}

// shown returns the columns that a statement returns, and their table.
func shown(d sql.Dialect, asked string) (columns []string, table string) {
	if list, ok := strings.CutPrefix(asked, "SELECT "); ok {
		if names, from, ok := strings.Cut(list, " FROM "); ok {
			table, _, _ = strings.Cut(from, " ")
			return strings.Split(names, ", "), table
		}
		if d == sql.Postgres {
			list, _, _ = strings.Cut(list, "(") // the function's name
		}
		return []string{list}, ""
	}
	if i := strings.LastIndex(asked, " RETURNING "); d == sql.Postgres && i >= 0 {
		return strings.Split(asked[i+len(" RETURNING "):], ", "), ""
	}
	return nil, ""
}

// values returns the bytes of the values in a row with that text, and whether there is a row.
func values(d sql.Dialect, columns []string, text string) (n int, there bool) {
	switch {
	case text == "(0 rows)":
		return 0, false
	case text == "granted" && d == sql.Postgres:
		return 0, true
	case text == "granted":
		return 1, true
	}
	return len(text) - len(" | ")*(len(columns)-1), true
}

func postgresAnswer(asked, text string, failed bool) int {
	const head, ready = 1 + 4, 1 + 4 + 1
	if failed {
		code, message, _ := strings.Cut(strings.TrimPrefix(text, "ERROR "), ": ")
		return head + len("SERROR.VERROR.C.M.") + len(code) + len(message) + 1 + ready
	}
	columns, _ := shown(sql.Postgres, asked)
	if columns == nil {
		return head + len(text) + 1 + ready
	}
	size := head + 2
	for _, name := range columns {
		size += len(name) + 1 + 4 + 2 + 4 + 2 + 4 + 2
	}
	n, there := values(sql.Postgres, columns, text)
	if there {
		size += head + 2 + 4*len(columns) + n
	}
	verb, _, _ := strings.Cut(asked, " ")
	if verb == "INSERT" {
		verb += " 0"
	}
	return size + head + len(verb) + len(" 1") + 1 + ready
}

// schemaName is the length of the schema name of a run's tables on a real MySQL.
const schemaName = len("zkviz_run_abcdefgh23")

func mysqlAnswer(asked, text string, failed bool) int {
	const head, ok = 4, 1 + 1 + 1 + 2 + 2
	if failed {
		_, message, _ := strings.Cut(text, ": ")
		return head + 1 + 2 + 1 + 5 + len(message)
	}
	columns, table := shown(sql.MySQL, asked)
	if columns == nil {
		return head + ok + len(mysqlInfo(asked, text))
	}
	size := head + 1 + 1 // the number of columns, and that they follow
	for _, name := range columns {
		size += head + 4 + 5 + 1 + 2 + 4 + 1 + 2 + 1 + 2 + len(name)
		if table != "" {
			size += schemaName + 2*len(table) + len(name)
		}
	}
	if n, there := values(sql.MySQL, columns, text); there {
		size += head + len(columns) + n
	}
	return size + head + ok
}

// mysqlInfo returns what the server says about an UPDATE in addition to the number of rows.
func mysqlInfo(asked, text string) string {
	if !strings.HasPrefix(asked, "UPDATE ") {
		return ""
	}
	n := text[:1]
	return ".Rows matched: " + n + "  Changed: " + n + "  Warnings: 0"
}
