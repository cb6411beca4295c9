// Package cii writes electronic invoices in the syntax of UN/CEFACT, Cross Industry Invoice D16B, by EN 16931: what
// Factur-X and ZUGFeRD embed into a PDF. It does not own what the invoice says (billing/einvoice).
package cii

import "encoding/xml"

// The namespaces of the syntax. The encoder of the standard library has no prefixes: they are a part of the names.
const (
	rsm = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
	ram = "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
	qdt = "urn:un:unece:uncefact:data:standard:QualifiedDataType:100"
	udt = "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100"
	// guideline names the profile: EN 16931 as a whole, without extensions.
	guideline = "urn:cen.eu:en16931:2017"
)

// crossIndustryInvoice is the whole document. The order of the fields is that of the schema.
type crossIndustryInvoice struct {
	XMLName     xml.Name    `xml:"rsm:CrossIndustryInvoice"`
	RSM         string      `xml:"xmlns:rsm,attr"`
	RAM         string      `xml:"xmlns:ram,attr"`
	QDT         string      `xml:"xmlns:qdt,attr"`
	UDT         string      `xml:"xmlns:udt,attr"`
	Guideline   string      `xml:"rsm:ExchangedDocumentContext>ram:GuidelineSpecifiedDocumentContextParameter>ram:ID"`
	Document    header      `xml:"rsm:ExchangedDocument"`
	Transaction transaction `xml:"rsm:SupplyChainTradeTransaction"`
}

type header struct {
	ID       string `xml:"ram:ID"`
	TypeCode string `xml:"ram:TypeCode"` // UNTDID 1001
	Issued   date   `xml:"ram:IssueDateTime>udt:DateTimeString"`
	Notes    []note `xml:"ram:IncludedNote"`
}

type note struct {
	Content string `xml:"ram:Content"`
}

type date struct {
	Format string `xml:"format,attr"` // 102: a day as 20261231
	Day    string `xml:",chardata"`
}

type transaction struct {
	Lines      []line     `xml:"ram:IncludedSupplyChainTradeLineItem"`
	Agreement  agreement  `xml:"ram:ApplicableHeaderTradeAgreement"`
	Delivery   struct{}   `xml:"ram:ApplicableHeaderTradeDelivery"`
	Settlement settlement `xml:"ram:ApplicableHeaderTradeSettlement"`
}

type line struct {
	ID         string         `xml:"ram:AssociatedDocumentLineDocument>ram:LineID"`
	Name       string         `xml:"ram:SpecifiedTradeProduct>ram:Name"`
	Price      string         `xml:"ram:SpecifiedLineTradeAgreement>ram:NetPriceProductTradePrice>ram:ChargeAmount"`
	Quantity   quantity       `xml:"ram:SpecifiedLineTradeDelivery>ram:BilledQuantity"`
	Settlement lineSettlement `xml:"ram:SpecifiedLineTradeSettlement"`
}

type quantity struct {
	Unit   string `xml:"unitCode,attr"` // UN/ECE Recommendation 20
	Number string `xml:",chardata"`
}

type lineSettlement struct {
	Tax       lineTax    `xml:"ram:ApplicableTradeTax"`
	Period    *span      `xml:"ram:BillingSpecifiedPeriod"`
	Allowance *allowance `xml:"ram:SpecifiedTradeAllowanceCharge"`
	Total     string     `xml:"ram:SpecifiedTradeSettlementLineMonetarySummation>ram:LineTotalAmount"`
}

type lineTax struct {
	TypeCode string `xml:"ram:TypeCode"`
	Category string `xml:"ram:CategoryCode"`
	Percent  string `xml:"ram:RateApplicablePercent,omitempty"`
}

type span struct {
	Start date `xml:"ram:StartDateTime>udt:DateTimeString"`
	End   date `xml:"ram:EndDateTime>udt:DateTimeString"`
}

type allowance struct {
	Charge bool   `xml:"ram:ChargeIndicator>udt:Indicator"`
	Amount string `xml:"ram:ActualAmount"`
	Code   string `xml:"ram:ReasonCode"` // UNTDID 5189
	Reason string `xml:"ram:Reason"`
}

type agreement struct {
	Seller party `xml:"ram:SellerTradeParty"`
	Buyer  party `xml:"ram:BuyerTradeParty"`
}

type party struct {
	Name    string         `xml:"ram:Name"`
	Address address        `xml:"ram:PostalTradeAddress"`
	Email   *identified    `xml:"ram:URIUniversalCommunication>ram:URIID"`
	Tax     []registration `xml:"ram:SpecifiedTaxRegistration"`
}

type address struct {
	PostalCode string `xml:"ram:PostcodeCode,omitempty"`
	Line1      string `xml:"ram:LineOne,omitempty"`
	Line2      string `xml:"ram:LineTwo,omitempty"`
	City       string `xml:"ram:CityName,omitempty"`
	Country    string `xml:"ram:CountryID"`
	Region     string `xml:"ram:CountrySubDivisionName,omitempty"`
}

type identified struct {
	Scheme string `xml:"schemeID,attr"`
	ID     string `xml:",chardata"`
}

type registration struct {
	Number identified `xml:"ram:ID"`
}

type settlement struct {
	Currency string         `xml:"ram:InvoiceCurrencyCode"`
	Taxes    []headerTax    `xml:"ram:ApplicableTradeTax"`
	Period   *span          `xml:"ram:BillingSpecifiedPeriod"`
	Terms    *paymentTerms  `xml:"ram:SpecifiedTradePaymentTerms"`
	Sums     sums           `xml:"ram:SpecifiedTradeSettlementHeaderMonetarySummation"`
	Of       *otherDocument `xml:"ram:InvoiceReferencedDocument"`
}

type headerTax struct {
	Amount     string `xml:"ram:CalculatedAmount"`
	TypeCode   string `xml:"ram:TypeCode"`
	Reason     string `xml:"ram:ExemptionReason,omitempty"`
	Base       string `xml:"ram:BasisAmount"`
	Category   string `xml:"ram:CategoryCode"`
	ReasonCode string `xml:"ram:ExemptionReasonCode,omitempty"`
	Percent    string `xml:"ram:RateApplicablePercent,omitempty"`
}

type paymentTerms struct {
	Text string `xml:"ram:Description,omitempty"`
	Due  *date  `xml:"ram:DueDateDateTime>udt:DateTimeString"`
}

type sums struct {
	Lines     string `xml:"ram:LineTotalAmount"`
	Charges   string `xml:"ram:ChargeTotalAmount"`
	Allowance string `xml:"ram:AllowanceTotalAmount"`
	Net       string `xml:"ram:TaxBasisTotalAmount"`
	Tax       amount `xml:"ram:TaxTotalAmount"`
	Gross     string `xml:"ram:GrandTotalAmount"`
	Prepaid   string `xml:"ram:TotalPrepaidAmount"`
	Payable   string `xml:"ram:DuePayableAmount"`
}

type amount struct {
	Currency string `xml:"currencyID,attr"`
	Number   string `xml:",chardata"`
}

type otherDocument struct {
	Number string `xml:"ram:IssuerAssignedID"`
	Issued *date  `xml:"ram:FormattedIssueDateTime>qdt:DateTimeString"`
}
