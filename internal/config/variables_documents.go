package config

import (
	"bytes"
	"io"
	"os"
)

var documentVariables = []Variable{
	{
		Name: "PERENNIAL_DOCUMENT_FONT", Example: "/usr/share/fonts/NotoSansSC-Regular.ttf",
		Meaning: "TrueType font file for characters of PDFs that the built-in font does not have: Chinese, Japanese, Korean " +
			"and others. Only the characters that a document uses are embedded into it. Absent: boxes are drawn for them.",
		Fix: "give the path of a readable .ttf file, not of a collection (.ttc)",
		set: fontFile(func(c *Config) *string { return &c.Documents.Font }),
	},
}

// fontFile accepts the path of a file that begins as TrueType does: a wrong one would show in the first PDF only.
func fontFile(field func(*Config) *string) setter {
	return func(c *Config, s string) string {
		f, err := os.Open(s)
		if err != nil {
			return "cannot be read: " + err.Error()
		}
		defer func() { _ = f.Close() }() // it was only read
		head := make([]byte, 4)
		if _, err := io.ReadFull(f, head); err != nil || !bytes.Equal(head, []byte{0, 1, 0, 0}) && string(head) != "true" {
			return "is no TrueType font"
		}
		*field(c) = s
		return ""
	}
}
