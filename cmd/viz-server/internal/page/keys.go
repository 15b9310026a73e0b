package page

import "slices"

// shortcut is one line of the keys dialog. Text is the key of its words.
type shortcut struct {
	Keys []string
	Text string
}

// shortcuts lists the keys that app.js binds. A test compares it with the script.
var shortcuts = [...]shortcut{
	{[]string{"→"}, "key.step"},
	{[]string{"←"}, "key.step-back"},
	{[]string{"Space"}, "key.play"},
	{[]string{"."}, "key.event"},
	{[]string{","}, "key.event-back"},
	{[]string{"]"}, "key.release"},
	{[]string{"["}, "key.release-back"},
	{[]string{"Home"}, "key.start"},
	{[]string{"End"}, "key.end"},
	{[]string{"+", "−"}, "key.speed"},
	{[]string{"1", "…", "9"}, "key.select"},
	{[]string{"n"}, "key.next"},
	{[]string{"Shift+n"}, "key.previous"},
	{[]string{"PageDown", "PageUp"}, "key.turn"},
	{[]string{"0"}, "key.deselect"},
	{[]string{"c"}, "key.crash"},
	{[]string{"p"}, "key.pause"},
	{[]string{"x"}, "key.cut"},
	{[]string{"d"}, "key.drop"},
	{[]string{"e"}, "key.expire"},
	{[]string{"l"}, "key.delay"},
	{[]string{"z"}, "key.stall"},
	{[]string{"v"}, "key.vanish"},
	{[]string{"m", "Enter"}, "key.menu"},
	{[]string{"b"}, "key.branch"},
	{[]string{"h"}, "key.host"},
	{[]string{"r"}, "key.again"},
	{[]string{"a"}, "key.retry"},
	{[]string{"/"}, "key.search"},
	{[]string{"↑", "↓"}, "key.row"},
	{[]string{"f"}, "key.present"},
	{[]string{"s"}, "key.story"},
	{[]string{"t"}, "key.theme"},
	{[]string{"?"}, "key.keys"},
	{[]string{"Esc"}, "key.close"},
}

// byServer lists the shortcuts for what only a server can do.
var byServer = []string{"key.host", "key.again"}

// shortcuts returns what the keys dialog lists. A site of files has no server.
func (f Frame) shortcuts() []shortcut {
	return slices.DeleteFunc(slices.Clone(shortcuts[:]), func(s shortcut) bool {
		return f.Exported != nil && slices.Contains(byServer, s.Text)
	})
}
