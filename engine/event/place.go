package event

import "strings"

// PlaceText is the Text of a SessionLocated: the address that a client has, and the server that it is connected to,
// each host:port and without spaces. Of a RecipeNote it is a server and a word.
func PlaceText(client, server string) string {
	return strings.ReplaceAll(client, " ", "") + " " + strings.ReplaceAll(server, " ", "")
}

// Place is what PlaceText was given.
func Place(text string) (client, server string) {
	client, server, _ = strings.Cut(text, " ")
	return client, server
}
