package config

var documentVariables = []Variable{
	{
		Name: "PERENNIAL_DOCUMENT_FONT", Example: "/usr/share/fonts/NotoSansSC-Regular.ttf",
		Meaning: "TrueType font file for characters of PDFs that the built-in font does not have: Chinese, Japanese, Korean " +
			"and others. Only the characters that a document uses are embedded into it. Absent: boxes are drawn for them.",
		Fix: "give the path of a readable .ttf file, not of a collection (.ttc)",
		set: text(func(c *Config) *string { return &c.Documents.Font }),
	},
}
