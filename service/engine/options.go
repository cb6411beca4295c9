package engine

import (
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"perennial/contract"
)

// options returns the common options of our workflows. A workflow that failed or was terminated may be started again,
// one that completed may not: a finished subscription stays finished.
func options(
	id, environmentID, summary string, attributes ...temporal.SearchAttributeUpdate,
) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                       id,
		TaskQueue:                contract.QueueBilling,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes: temporal.NewSearchAttributes(
			append(attributes, contract.SearchEnvironment.ValueSet(environmentID))...),
		StaticSummary: summary,
		Priority:      temporal.Priority{FairnessKey: environmentID}, // no environment holds up another
	}
}

func subscriptionOptions(in contract.SubscriptionStart) client.StartWorkflowOptions {
	ref, summary := in.Input.Ref, "Subscription"
	var attributes []temporal.SearchAttributeUpdate
	if in.CustomerID != "" { // a start that knows the id only: the workflow reads the rest and shows it
		summary = "Subscription of " + in.CustomerID + " to " + in.PlanID
		attributes = append(attributes,
			contract.SearchCustomer.ValueSet(in.CustomerID), contract.SearchPlan.ValueSet(in.PlanID),
			contract.SearchStatus.ValueSet(in.Status), contract.SearchNextAction.ValueSet(in.NextAction))
	}
	return options(contract.SubscriptionWorkflowID(ref.ID), ref.EnvironmentID, summary, attributes...)
}

func paymentOptions(in contract.PaymentInput) client.StartWorkflowOptions {
	return options(contract.PaymentWorkflowID(in.Ref.ID), in.Ref.EnvironmentID, "Payment")
}

// erasureOptions allows the workflow of an erasure to run again: an unfinished one continues, however it ended.
func erasureOptions(in contract.ErasureInput) client.StartWorkflowOptions {
	summary, attributes := "Erasure", []temporal.SearchAttributeUpdate{contract.SearchStatus.ValueSet("erasing")}
	if in.CustomerID != "" {
		summary = "Erasure of " + in.CustomerID
		attributes = append(attributes, contract.SearchCustomer.ValueSet(in.CustomerID))
	}
	o := options(contract.ErasureWorkflowID(in.Ref.ID), in.Ref.EnvironmentID, summary, attributes...)
	o.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	return o
}

// clockOptions allow a clock's workflow to run again: it ends with each advance.
func clockOptions(ref contract.Ref) client.StartWorkflowOptions {
	o := options(contract.TestClockWorkflowID(ref.ID), ref.EnvironmentID, "Test clock")
	o.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	return o
}

// endpointOptions allow an endpoint's workflow to run again: it ends when the endpoint is disabled.
func endpointOptions(ref contract.Ref) client.StartWorkflowOptions {
	o := options(contract.WebhookEndpointWorkflowID(ref.ID), ref.EnvironmentID, "Webhook endpoint")
	o.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	return o
}

// senderOptions allow a sender's workflow to run again: it ends when the sender is deleted.
func senderOptions(ref contract.Ref) client.StartWorkflowOptions {
	o := options(contract.EmailSenderWorkflowID(ref.ID), ref.EnvironmentID, "Sender of mail")
	o.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	return o
}
