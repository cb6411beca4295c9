package paper

import "github.com/carlos7ags/folio/document"

// The XML of an electronic invoice within a PDF, by Factur-X 1.0 (ZUGFeRD 2): the name is the standard's.
const (
	invoiceFile = "factur-x.xml"
	facturX     = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"
	profile     = "EN 16931"
)

func attachment(s Sheet) document.FileAttachment {
	return document.FileAttachment{
		FileName: invoiceFile, MIMEType: "text/xml", Description: "Factur-X", AFRelationship: "Alternative",
		Data: s.Invoice, CreationDate: s.At,
	}
}

// conformance is PDF/A-3A, with the properties by which readers find an electronic invoice.
func conformance(s Sheet) document.PdfAConfig {
	config := document.PdfAConfig{Level: document.PdfA3A}
	if s.Invoice == nil {
		return config
	}
	schema := document.XMPSchema{Schema: "Factur-X PDFA Extension Schema", NamespaceURI: facturX, Prefix: "fx"}
	values := document.XMPPropertyBlock{Namespace: facturX, Prefix: "fx"}
	for _, p := range [][3]string{
		{"DocumentFileName", "The name of the embedded XML document", invoiceFile},
		{"DocumentType", "The type of the hybrid document", "INVOICE"},
		{"Version", "The version of the standard", "1.0"},
		{"ConformanceLevel", "The conformance level of the embedded XML document", profile},
	} {
		schema.Properties = append(schema.Properties, document.XMPSchemaProperty{
			Name: p[0], ValueType: "Text", Category: "external", Description: p[1],
		})
		values.Properties = append(values.Properties, document.XMPProperty{Name: p[0], Value: p[2]})
	}
	config.XMPSchemas, config.XMPProperties = []document.XMPSchema{schema}, []document.XMPPropertyBlock{values}
	return config
}
