// Package base is the room of what knows nothing of zkviz: an agenda ordered by time, files that are written whole or
// not at all, text that a terminal may show, and JSON that is small in wasm. Nothing here may import another room.
package base
