// A join across two machines: send a filter of your keys, get back only the rows that might match.
//
// Here lie the customers of one country, there the orders of all. Sending all orders is dear,
// sending all customer ids is, too. A filter of the ids takes ten bits for each of them, and about
// 1 % of the orders of others come along. Its seed is the public one: both sides must hash alike.
//
// From the shell: kvtool filter export on one side, kvtool filter query on the other.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <siltstone/db.h>
#include <siltstone/filter.h>

namespace {

constexpr int kCustomers = 2'000;
constexpr int kOrders = 50'000;

struct Order {
  std::string customer;
  int number;
};

void OrStop(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(2);
}

// Every tenth customer is of this country.
std::string Customer(int number) { return "customer-" + std::to_string(number); }

// On this side: the bytes to send.
std::string FilterOfCustomers(siltstone::DB& db) {
  std::vector<std::string> keys;
  const std::unique_ptr<siltstone::Iterator> it = db.NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) keys.emplace_back(it->key());
  OrStop(it->status());
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  auto filter =
      siltstone::Filter::Build(siltstone::Filter::Kind::kBloom, views, {.fp_chance = 0.01});
  OrStop(filter.status());
  return (*filter)->Serialize();
}

// On the other side: the rows to send back.
std::vector<Order> OrdersThatMayMatch(const std::vector<Order>& orders,
                                      std::string_view filter_bytes) {
  const auto filter = siltstone::Filter::Parse(filter_bytes);
  OrStop(filter.status());
  std::vector<Order> rows;
  for (const Order& order : orders) {
    if ((*filter)->MayContain(order.customer)) rows.push_back(order);
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  const siltstone::Options options{.create_if_missing = true};
  auto db = siltstone::DB::Open(options, argc > 1 ? argv[1] : "remote_join.db");
  OrStop(db.status());
  siltstone::WriteBatch customers;
  for (int i = 0; i < kCustomers; ++i) customers.Put(Customer(10 * i), "name and address");
  OrStop((*db)->Write(customers));
  std::vector<Order> orders;
  for (int i = 0; i < kOrders; ++i) orders.push_back({Customer((i * 7919) % (10 * kCustomers)), i});

  const std::string sent = FilterOfCustomers(**db);
  const std::vector<Order> rows = OrdersThatMayMatch(orders, sent);
  // Back here, the table sorts out what only looked like a match.
  int joined = 0;
  for (const Order& row : rows) {
    const siltstone::DB::GetResult customer = (*db)->Get(row.customer);
    OrStop(customer.status());
    joined += customer->has_value() ? 1 : 0;
  }

  int expected = 0;
  for (int i = 0; i < kOrders; ++i) expected += (i * 7919) % (10 * kCustomers) % 10 == 0 ? 1 : 0;
  std::printf("sent a filter of %d customers: %zu bytes\n", kCustomers, sent.size());
  std::printf("came back: %zu of %d orders, of which %d match\n", rows.size(), kOrders, joined);
  if (joined != expected) std::printf("BROKEN: %d orders match\n", expected);
  OrStop((*db)->Close());
  return joined == expected ? 0 : 1;
}
