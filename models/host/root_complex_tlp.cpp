// SPDX-License-Identifier: Apache-2.0
#include "models/host/root_complex_tlp.hpp"

#include "models/host/transaction.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::host {

namespace {

pcie::TlpType tlp_type(TransactionType t) {
  switch (t) {
    case TransactionType::write:
      return pcie::TlpType::memory_write;
    case TransactionType::read:
      return pcie::TlpType::memory_read;
    case TransactionType::answer_with_data:
      return pcie::TlpType::completion_with_data;
    case TransactionType::answer:
      break;
  }
  return pcie::TlpType::completion;
}

TransactionType transaction_type(pcie::TlpType t) {
  switch (t) {
    case pcie::TlpType::memory_write:
      return TransactionType::write;
    case pcie::TlpType::memory_read:
      return TransactionType::read;
    case pcie::TlpType::completion_with_data:
      return TransactionType::answer_with_data;
    case pcie::TlpType::completion:
      break;
  }
  return TransactionType::answer;
}

pcie::CompletionStatus completion_status(TransactionStatus s) {
  switch (s) {
    case TransactionStatus::okay:
      return pcie::CompletionStatus::successful;
    case TransactionStatus::address_error:
      return pcie::CompletionStatus::unsupported_request;
    case TransactionStatus::device_error:
      break;
  }
  return pcie::CompletionStatus::completer_abort;
}

TransactionStatus transaction_status(pcie::CompletionStatus s) {
  switch (s) {
    case pcie::CompletionStatus::successful:
      return TransactionStatus::okay;
    case pcie::CompletionStatus::unsupported_request:
      return TransactionStatus::address_error;
    case pcie::CompletionStatus::completer_abort:
      break;
  }
  return TransactionStatus::device_error;
}

}  // namespace

// Field by field: what lies between them stays as it is, and pieces of one train stay alike (Packet::continues_with).

void to_tlp(flow::Packet& p) {
  const Transaction t = p.header<Transaction>();  // the TLP's header takes its place
  pcie::Tlp& h = p.header<pcie::Tlp>();
  h.type = tlp_type(t.type);
  h.status = completion_status(t.status);
  h.requester.device = t.requester.way;
  h.requester.tag = t.requester.tag;
  h.length = t.length;
  h.attributes = {t.relaxed_ordering, false};
}

void to_transaction(flow::Packet& p) {
  const pcie::Tlp h = p.header<pcie::Tlp>();
  Transaction& t = p.header<Transaction>();
  t.type = transaction_type(h.type);
  t.status = transaction_status(h.status);
  t.agent = Agent::card;
  t.requester.way = h.requester.device;
  t.requester.tag = h.requester.tag;
  t.length = h.length;
  t.relaxed_ordering = h.attributes.relaxed_ordering;
  t.cache = 0;  // a TLP has attributes there
}

}  // namespace tsunagi::host
